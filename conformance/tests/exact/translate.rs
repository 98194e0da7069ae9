//! An event on its way over protocols and modes: what changes is what bindings have no room for.
//!
//! Nothing but what [`super::prediction`] says may change, on any chain of hops, and [`loss`] has
//! to say the same beforehand.

use std::collections::BTreeSet;

use cloudevents_nl_codec::{
    AttributeType, ContentMode, Data, Decoded, Decoder, Event, HTTP, HeaderList, NATS,
    STRUCTURED_JSON, encode, encode_structured,
};

use super::input::{self, Hop};
use super::loss::loss;
use super::prediction::Change::{
    self, DataKind, EmptyData, ImpliedContentType, OuterSpace, Unreadable, Untyped, Unwritable,
};
use super::prediction::predicted;
use super::reference::attributes;

/// Sends an event on a journey in the form of [`input::journey`].
pub(crate) fn check(input: &[u8]) {
    let Some((hops, text)) = input::journey(input) else {
        return;
    };
    if let Ok(event) = Decoder::default().decode_structured(text) {
        travel(&event.into_owned(), &hops);
    }
}

/// Sends an event over all hops, and looks at what arrives at each.
pub(crate) fn travel(event: &Event<'static>, hops: &[Hop]) {
    let mut here = event.clone();
    let mut all = BTreeSet::new();
    let mut from = (&HTTP, ContentMode::Structured);
    for &hop in hops {
        let lost = loss(&here, from, hop);
        let lost: BTreeSet<_> = lost.iter().map(Change::of).collect();
        let Some(expected) = predicted(&here, hop) else {
            // Another crate would have to read the content type, and follows other rules.
            return;
        };
        assert_eq!(lost, expected, "what is said of {here:?} over {hop:?}");
        let arrived = match sent(&here, hop) {
            Ok(arrived) => arrived,
            Err(change) => {
                assert_eq!(expected, BTreeSet::from([change]), "{here:?} over {hop:?}");
                continue;
            }
        };
        assert_eq!(found(&here, &arrived), expected, "{here:?} over {hop:?}");
        all.extend(expected);
        (here, from) = (arrived, hop);
    }
    assert_kept(event, &here, &all);
}

/// What no journey changes: names and texts of attributes, and the bytes of data.
fn assert_kept(before: &Event<'_>, after: &Event<'_>, changes: &BTreeSet<Change>) {
    let texts = |event| -> Vec<_> {
        let all = attributes(event).into_iter();
        all.map(|(name, (_, text))| (name, text)).collect()
    };
    let mut expected = texts(before);
    if changes.contains(&ImpliedContentType) {
        expected.push(("datacontenttype".into(), "application/json".into()));
        expected.sort();
    }
    assert_eq!(texts(after), expected);
    if !changes.contains(&EmptyData) && !changes.contains(&OuterSpace) {
        assert_eq!(bytes(after), bytes(before));
    }
}

/// Writes an event, and reads what was written.
fn sent(event: &Event<'_>, (binding, mode): Hop) -> Result<Event<'static>, Change> {
    let mut list = HeaderList::default();
    let body = if mode == ContentMode::Binary {
        let body =
            encode(event, binding, ContentMode::Binary, list.sink()).map_err(|_| Unwritable)?;
        body.map(|body| body.into_owned())
    } else {
        list.push(binding.content_type, Some(STRUCTURED_JSON.as_bytes()));
        let mut text = Vec::new();
        encode_structured(event, &mut text);
        Some(text)
    };
    let decoded = Decoder::default().decode_any(binding, list.iter(), body.as_deref());
    match (decoded, mode) {
        (Ok(Decoded::Binary(event)), ContentMode::Binary)
        | (Ok(Decoded::Structured(event)), ContentMode::Structured) => Ok(event.into_owned()),
        (Err(_), ContentMode::Binary) => Err(Unreadable),
        (other, _) => panic!("{other:?} of what was written for {event:?}"),
    }
}

/// The bytes of data, as binary mode has them. NATS can carry every content type.
fn bytes(event: &Event<'_>) -> Option<Vec<u8>> {
    let body = encode(event, &NATS, ContentMode::Binary, |_, _| {});
    // What binary mode cannot write is text, and stays as it is.
    body.map_or_else(
        |_| match event.data() {
            Data::Text(text) => Some(text.as_bytes().to_vec()),
            other => panic!("{other:?} cannot be written"),
        },
        |body| body.map(|bytes| bytes.into_owned()),
    )
}

/// How the event after a hop differs from the one before.
fn found(before: &Event<'_>, after: &Event<'_>) -> BTreeSet<Change> {
    let mut changes = BTreeSet::new();
    let mut expected = attributes(before);
    let there = attributes(after);
    if before.datacontenttype().is_none() && after.datacontenttype() == Some("application/json") {
        changes.insert(ImpliedContentType);
        let said = (AttributeType::String, "application/json".to_owned());
        expected.insert("datacontenttype".into(), said);
    }
    for (name, (ty, _)) in &mut expected {
        let (arrived, _) = &there[name];
        if arrived != ty {
            assert_eq!(*arrived, AttributeType::String, "{name}");
            *ty = AttributeType::String;
            changes.insert(Untyped(name.clone()));
        }
    }
    assert_eq!(there, expected);
    changes.extend(found_in_data(before, after));
    changes
}

fn found_in_data(before: &Event<'_>, after: &Event<'_>) -> Option<Change> {
    if before.data() == after.data() {
        return None;
    }
    let (sent, arrived) = (bytes(before), bytes(after));
    if sent == arrived {
        return Some(DataKind);
    }
    match (before.data(), after.data()) {
        (Data::Json(sent), Data::Json(arrived))
            if sent.as_str().trim_ascii() == arrived.as_str() =>
        {
            Some(OuterSpace)
        }
        (_, Data::None) if sent.as_deref() == Some(b"") => Some(EmptyData),
        other => panic!("data changed: {other:?}"),
    }
}
