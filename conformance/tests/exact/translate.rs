//! An event on its way over protocols and modes: what changes is what bindings have no room for.
//!
//! [`predicted`] is section 10 of the bindings digest as code: the type of an extension that the
//! register does not know, a content type that was implied, data of no bytes, the kind of data, the
//! space around JSON. Nothing else may change, on any chain of hops, and `Decoder::loss` has to say the
//! same beforehand.

use std::collections::BTreeSet;

use cloudevents_nl_codec::{
    AttributeType, ContentMode, Data, Decoded, Decoder, Event, HTTP, Header, HeaderList, Loss,
    Message, NATS, STRUCTURED_JSON, Value, encode_binary, encode_structured,
};
use mime::Mime;

use super::decode_binary::is_data;
use super::grammar;
use super::input::{self, Hop};
use super::reference::attributes;

/// What a hop does to an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// Binary mode cannot hold it, so that it is not written.
    Unwritable,
    /// Data under a JSON type is no JSON, so that readers refuse it.
    Unreadable,
    /// An extension that was no String is one.
    Untyped(String),
    /// What `data` without a content type is, is said aloud.
    ImpliedContentType,
    /// Data of no bytes is no data.
    EmptyData,
    /// JSON, text or bytes are another one of these.
    DataKind,
    /// JSON has lost the space around it.
    OuterSpace,
}

impl Change {
    fn of(loss: &Loss<'_>) -> Self {
        match loss {
            Loss::Unwritable(_) => Unwritable,
            Loss::Unreadable => Unreadable,
            Loss::ExtensionType {
                name, arrives_as, ..
            } => {
                assert_eq!(*arrives_as, AttributeType::String, "{name}");
                Untyped((*name).to_owned())
            }
            Loss::ImpliedContentType => ImpliedContentType,
            Loss::EmptyData => EmptyData,
            Loss::DataKind => DataKind,
            Loss::OuterSpace => OuterSpace,
            other => panic!("{other:?} is not known here"),
        }
    }
}

use Change::{
    DataKind, EmptyData, ImpliedContentType, OuterSpace, Unreadable, Untyped, Unwritable,
};

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
        let lost = Decoder::default().loss(&here, from, hop);
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
        let body = encode_binary(event, binding, &mut list).map_err(|_| Unwritable)?;
        body.map(|body| body.into_owned())
    } else {
        list.push(binding.content_type, Some(STRUCTURED_JSON.as_bytes()));
        let mut text = Vec::new();
        encode_structured(event, &mut text).expect("structured mode holds every event");
        Some(text)
    };
    let headers: Vec<Header<'_>> = list.iter().collect();
    let message = Message {
        headers: &headers,
        body: body.as_deref(),
    };
    match (Decoder::default().decode(binding, &message), mode) {
        (Ok(Decoded::Binary(event)), ContentMode::Binary)
        | (Ok(Decoded::Structured(event)), ContentMode::Structured) => Ok(event.into_owned()),
        (Err(_), ContentMode::Binary) => Err(Unreadable),
        (other, _) => panic!("{other:?} of what was written for {event:?}"),
    }
}

/// The bytes of data, as binary mode has them. NATS can carry every content type.
fn bytes(event: &Event<'_>) -> Option<Vec<u8>> {
    let body = encode_binary(event, &NATS, &mut HeaderList::default());
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

/// What a hop has to change; `None` where the content type is not for another crate to read.
fn predicted(event: &Event<'_>, (binding, mode): Hop) -> Option<BTreeSet<Change>> {
    let mut changes = BTreeSet::new();
    if mode != ContentMode::Binary {
        if let Data::Json(json) = event.data()
            && json.as_str().trim_ascii() != json.as_str()
        {
            changes.insert(OuterSpace);
        }
        return Some(changes);
    }
    let media_type = match (event.datacontenttype(), event.data()) {
        (None, Data::Json(_)) => {
            changes.insert(ImpliedContentType);
            Some(mime::APPLICATION_JSON)
        }
        (None, _) => None,
        (Some(text), _) => Some(grammar::media_type(text)?.expect("the codec has accepted it")),
    };
    let decides_mode = binding.data_content_type == binding.content_type;
    let announces = |media_type: &Mime| media_type.as_ref().starts_with("application/cloudevents");
    if decides_mode && media_type.as_ref().is_some_and(announces) {
        return Some(BTreeSet::from([Unwritable]));
    }
    for extension in event.extensions() {
        let name = extension.name();
        let is_kept = match extension.value() {
            Value::Boolean(_) => false,
            Value::Integer(_) => name == "sampledrate",
            _ => true,
        };
        if !is_kept {
            changes.insert(Untyped(name.to_owned()));
        }
    }
    match predicted_of_data(event.data(), media_type.as_ref(), binding.has_null_body) {
        Some(change @ (Unwritable | Unreadable)) => Some(BTreeSet::from([change])),
        change => {
            changes.extend(change);
            Some(changes)
        }
    }
}

fn predicted_of_data(
    data: &Data<'_>,
    media_type: Option<&Mime>,
    has_null_body: bool,
) -> Option<Change> {
    let charset = media_type.and_then(|media_type| media_type.get_param("charset"));
    let charset = charset.map_or(Charset::Utf8, |name| Charset::of(name.as_str()));
    let is_json = media_type.is_some_and(grammar::is_json);
    let is_text = media_type.is_some_and(grammar::is_text);
    match data {
        Data::None | Data::Json(_) => None,
        Data::Text(text) if !charset.has(text) => Some(Unwritable),
        Data::Text(text) if text.is_empty() && !has_null_body => Some(EmptyData),
        Data::Text(_) if is_text => None,
        Data::Text(_) => Some(DataKind),
        Data::Binary(bytes) if bytes.is_empty() && !has_null_body => Some(EmptyData),
        Data::Binary(bytes) if is_json && is_data(bytes) => Some(DataKind),
        Data::Binary(_) if is_json => Some(Unreadable),
        Data::Binary(bytes) if is_text && charset.reads(bytes) => Some(DataKind),
        Data::Binary(_) => None,
    }
}

/// The charsets that the codec has.
#[derive(Clone, Copy)]
enum Charset {
    Utf8,
    Ascii,
    Latin1,
    Other,
}

impl Charset {
    fn of(name: &str) -> Self {
        match &*name.to_ascii_lowercase() {
            "utf-8" | "utf8" => Self::Utf8,
            "us-ascii" | "ascii" => Self::Ascii,
            "iso-8859-1" | "latin1" => Self::Latin1,
            _ => Self::Other,
        }
    }

    fn has(self, text: &str) -> bool {
        match self {
            Self::Utf8 => true,
            Self::Ascii => text.is_ascii(),
            Self::Latin1 => text.chars().all(|c| c <= '\u{ff}'),
            Self::Other => false,
        }
    }

    fn reads(self, bytes: &[u8]) -> bool {
        match self {
            Self::Utf8 => str::from_utf8(bytes).is_ok(),
            Self::Ascii => bytes.is_ascii(),
            Self::Latin1 => true,
            Self::Other => false,
        }
    }
}
