use proptest::prelude::*;

use crate::error::Place;
use crate::event::attribute::CoreAttribute;
use crate::{DecodeError, DecodeErrorKind, Decoder, Event, JsonFault};

/// Names that the specification has, and others.
fn names() -> Vec<&'static str> {
    let others = ["data", "dataref", "sampledrate", "ext", "Ext"];
    CoreAttribute::ALL
        .iter()
        .map(|core| core.name())
        .chain(others)
        .collect()
}

/// Values in JSON, valid ones and others.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\"1.0\"".to_owned()),
        Just("\"application/json\"".to_owned()),
        Just("\"2026-03-10T17:31:08.250Z\"".to_owned()),
        Just("\"urn:nld:oin:00000001823288444000\"".to_owned()),
        "\"https://[a-z]{1,20}[.:/]?[ -~]{0,20}\"",
        "\"[ -~é\u{7f}]{0,36}\"",
        "\"[a-z:/.-]{0,36}\"",
        "null|true|17|\\{\\}|x|\"\\\\u0041\"",
    ]
}

fn separator() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        ":", " : ", ": ", "", "\n:", ":\n", "\r:", ":\r", "\t:", ":\t",
    ])
}

fn member() -> impl Strategy<Value = (&'static str, &'static str, String)> {
    (prop::sample::select(names()), separator(), value())
}

/// What is read, without offsets, which differ between spellings.
fn read(text: &str) -> Result<Event<'static>, DecodeError> {
    let read = Decoder::default().decode_structured(text.as_bytes());
    read.map(Event::into_owned).map_err(|mut error| {
        if let Place::Byte(at) = &mut error.place {
            *at = 0;
        }
        error
    })
}

/// An event of common members, in any order.
fn event() -> impl Strategy<Value = Vec<u8>> {
    let required = [
        ("specversion", ":", "\"1.0\"".to_owned()),
        ("id", ":", "\"1\"".to_owned()),
        (
            "source",
            ":",
            "\"urn:nld:oin:00000001823288444000:systeem:BRP\"".to_owned(),
        ),
        ("type", ":", "\"nl.brp.verhuisd\"".to_owned()),
    ];
    prop::collection::vec(member(), 0..4).prop_map(move |others| {
        let is_new = |name: &str| required.iter().all(|(known, ..)| *known != name);
        let others = others.into_iter().filter(|(name, ..)| is_new(name));
        let members = required.iter().cloned().chain(others);
        let members: Vec<_> = members
            .map(|(name, separator, value)| format!("\"{name}\"{separator}{value}"))
            .collect();
        format!("{{{}}}", members.join(",")).into_bytes()
    })
}

/// The same text with an escape in each name, which leads around the fast path; and where each of those is.
fn escaped(text: &[u8]) -> (Vec<u8>, Vec<usize>) {
    let (mut escaped, mut places) = (Vec::new(), Vec::new());
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let found = names().into_iter().find(|name| is_member(rest, name));
        match (found, rest) {
            (Some(_), [quote, first, ..]) => {
                places.push(at);
                escaped.push(*quote);
                escaped.extend(format!("\\u{first:04x}").bytes());
                at += 2;
            }
            (_, [byte, ..]) => {
                escaped.push(*byte);
                at += 1;
            }
            (_, []) => break,
        }
    }
    (escaped, places)
}

/// Whether a text begins with that name and a colon.
fn is_member(text: &[u8], name: &str) -> bool {
    let quoted = format!("\"{name}\"");
    let after = text.strip_prefix(quoted.as_bytes());
    after.is_some_and(|after| after.trim_ascii_start().starts_with(b":"))
}

proptest! {
    /// The first fault is told, as a reader without a fast path meets it; nothing else is refused.
    #[test]
    fn the_fast_path_changes_no_verdict(
        text in event(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let mut text = text;
        for (at, byte) in changes {
            let at = at.index(text.len());
            text[at] = byte;
        }
        let (long, names) = escaped(&text);
        let shortly = Decoder::default().decode_structured(&text).map_err(|mut error| {
            if let Place::Byte(at) = &mut error.place {
                // An escape is five bytes longer than what it stands for.
                *at += 5 * names.iter().filter(|name| *name + 1 < *at).count();
            }
            error
        });
        prop_assert_eq!(shortly, Decoder::default().decode_structured(&long), "{}", text.escape_ascii());
    }

    /// No part of a text is taken for UTF-8 that is not, wherever it lies.
    #[test]
    fn text_that_is_not_utf8_is_refused_before_all_else(
        text in event(),
        at: prop::sample::Index,
        piece in prop::sample::select(vec![&b"\xFF"[..], b"\x80", b"\xC3", b"\xE2\x82", b"\xED\xA0\x80"]),
    ) {
        let mut broken = text;
        let at = at.index(broken.len());
        broken.splice(at..at, piece.iter().copied());
        let expected = str::from_utf8(&broken).map_or_else(|error| error.valid_up_to(), str::len);
        if expected < broken.len() {
            let error = Decoder::default().decode_structured(&broken).unwrap_err();
            prop_assert_eq!(error.kind, DecodeErrorKind::Json(JsonFault::NotUtf8));
            prop_assert_eq!(error.place, Place::Byte(expected));
        }
    }

    /// An escape in a name leads around the fast path, and must lead to the same end.
    #[test]
    fn the_fast_path_and_the_general_reader_agree(
        others in prop::collection::vec(member(), 0..5),
        separator in separator(),
        may_repeat: bool,
        space in "[ ]{0,40}",
    ) {
        let required = [
            ("id", separator, "\"1\"".to_owned()),
            ("source", separator, "\"/registry/of/some-thing\"".to_owned()),
            ("type", separator, "\"nl.brp.verhuisd\"".to_owned()),
            ("specversion", separator, "\"1.0\"".to_owned()),
        ];
        let replaces = |name: &str| others.iter().any(|(other, ..)| *other == name);
        let required = required
            .into_iter()
            .filter(|(name, ..)| may_repeat || !replaces(name));
        let (mut short, mut long) = (Vec::new(), Vec::new());
        for (name, separator, value) in required.chain(others.iter().cloned()) {
            let (first, rest) = name.split_at(1);
            let code = u32::from(first.as_bytes()[0]);
            short.push(format!("\"{name}\"{separator}{value}"));
            long.push(format!("\"\\u{code:04x}{rest}\"{separator}{value}"));
        }
        let text = |members: &[String]| format!("{{{}}}{space}", members.join(","));
        prop_assert_eq!(read(&text(&short)), read(&text(&long)), "{:?}", short);
    }
}
