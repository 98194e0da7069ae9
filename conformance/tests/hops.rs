//! What an event keeps on its way from protocol to protocol and from mode to mode: all of it, but for
//! what `exact/loss.rs` says beforehand. One hop from every place to every other, batches and events that
//! are hard to carry included; `exact/translate.rs` follows events over many hops, and says by another
//! reading of the standards what each changes.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "exact/loss.rs"]
mod loss;

use std::borrow::Cow;

use cloudevents_nl_codec::{
    AttributeType, BATCHED_JSON, Binding, ContentMode, Data, Decoded, Decoder, EncodeError, Event,
    HTTP, HeaderList, JsonText, KAFKA, NATS, STRUCTURED_JSON, Value, encode, encode_structured,
    join_batch,
};
use cloudevents_nl_conformance::generate::{DataShape, json, shape};
use loss::{Loss, loss};
use proptest::prelude::*;
use proptest::sample::select;

type Place = (&'static Binding, ContentMode);

const PLACES: [Place; 7] = [
    (&HTTP, ContentMode::Structured),
    (&HTTP, ContentMode::Binary),
    (&HTTP, ContentMode::Batched),
    (&KAFKA, ContentMode::Structured),
    (&KAFKA, ContentMode::Binary),
    (&NATS, ContentMode::Structured),
    (&NATS, ContentMode::Binary),
];

/// A message that was written; the headers of structured mode are one.
fn write(event: &Event<'_>, place: Place) -> Result<(HeaderList, Option<Vec<u8>>), EncodeError> {
    let (binding, mode) = place;
    let mut headers = HeaderList::default();
    if mode == ContentMode::Binary {
        let body = encode(event, binding, ContentMode::Binary, headers.sink())?;
        return Ok((headers, body.map(Cow::into_owned)));
    }
    let mut text = Vec::new();
    encode_structured(event, &mut text);
    let mut media_type = STRUCTURED_JSON;
    if mode == ContentMode::Batched {
        let element = std::mem::take(&mut text);
        join_batch([&*element], &mut text);
        media_type = BATCHED_JSON;
    }
    headers.push(binding.content_type, Some(media_type.as_bytes()));
    Ok((headers, Some(text)))
}

/// The event that is read at the other end; nothing where it is refused there.
fn read(place: Place, headers: &HeaderList, body: Option<&[u8]>) -> Option<Event<'static>> {
    let decoded = Decoder::default().decode_any(place.0, headers.iter(), body);
    let is_of_mode = match (&decoded, place.1) {
        (Ok(Decoded::Structured(_)), mode) => mode == ContentMode::Structured,
        (Ok(Decoded::Binary(_)), mode) => mode == ContentMode::Binary,
        (Ok(Decoded::Batch(_)), mode) => mode == ContentMode::Batched,
        (Err(_), _) => true,
    };
    assert!(
        is_of_mode,
        "{decoded:?} came in another mode than {place:?}"
    );
    let event = decoded.ok()?.into_events().next();
    event.map(Event::into_owned)
}

fn carried(event: &Event<'_>, place: Place) -> Option<Event<'static>> {
    let (headers, body) = write(event, place).ok()?;
    read(place, &headers, body.as_deref())
}

/// Events that a hop may do something to.
fn specimen() -> impl Strategy<Value = Event<'static>> {
    use AttributeType::{String, Timestamp, Uri, UriReference};
    let typed = |ty, text: &'static str| Value::parse(ty, text).unwrap();
    let values = vec![
        ("sampledrate", Value::Integer(-30)),
        ("sampledrate", typed(String, "30")),
        ("sampledrate", typed(String, "030")),
        ("sampledrate", Value::Boolean(true)),
        ("dataref", typed(UriReference, "/a")),
        ("dataref", typed(String, "/a")),
        ("dataref", typed(String, "a b")),
        ("page", typed(Uri, "https://example.com/?q=%20")),
        ("moment", typed(Timestamp, "2021-12-10t17:31:00z")),
        ("raw", Value::binary(b"\0\xFF")),
        ("empty", typed(String, "")),
        ("quoted", typed(String, "\"a\\\" %41")),
    ];
    let bytes = |ty, bytes: &'static [u8]| (Some(ty), Data::Binary(bytes.into()));
    let text = |ty, text: &'static str| (Some(ty), Data::Text(text.into()));
    let data = vec![
        (None, Data::None),
        (Some("application/json"), Data::None),
        (None, Data::Binary(b"".into())),
        bytes("application/json", b"{\"a\": 1}"),
        bytes("application/json", b" 1\n"),
        bytes("application/json", b"{a:1}"),
        bytes("application/json", b""),
        bytes("text/plain", b""),
        bytes("text/plain;charset=us-ascii", b"\xFF"),
        text("text/plain", ""),
        text("application/octet-stream", "a"),
        text("text/plain;charset=utf-16", "a"),
        text("text/plain;charset=us-ascii", "\u{e9}"),
        text("application/cloudevents-protobuf", "a"),
        (Some("application/cloudevents+json"), json_data("{}")),
        (Some("Application/Json; a=b"), json_data(" [1,\n2] ")),
    ];
    let data = prop_oneof![
        1 => select(data).prop_map(Some),
        1 => (json(), "[ \n\t\r]{0,2}")
            .prop_map(|(text, pad)| Some((None, json_data(&format!("{text}{pad}"))))),
        2 => Just(None),
    ];
    let values = prop::collection::vec(select(values), 0..4);
    (shape(), values, data).prop_map(|(mut shape, values, data)| {
        if data.is_some() {
            shape.data = (None, DataShape::None);
        }
        let add = |event: Event<'static>, (name, value): (&'static str, Value<'static>)| {
            event.with_extension(name, value).unwrap()
        };
        let event = values.into_iter().fold(shape.event(), add);
        match data {
            Some((Some(media_type), data)) => event.with_data(media_type, data).unwrap(),
            Some((None, data)) => event.with_data_alone(data).unwrap(),
            None => event,
        }
    })
}

fn json_data(text: &str) -> Data<'static> {
    Data::Json(JsonText::new(text.to_owned()).unwrap())
}

/// The attributes but for the content type: names, texts and types.
fn attributes<'e>(event: &'e Event<'_>) -> Vec<(&'e str, Value<'e>)> {
    let mut all: Vec<_> = event.attributes().collect();
    all.retain(|(name, _)| *name != "datacontenttype");
    all.sort_by_key(|(name, _)| *name);
    all
}

/// The bytes of the data; JSON without what stands around it.
fn bytes<'e>(event: &'e Event<'_>) -> Option<Cow<'e, [u8]>> {
    Some(match event.data() {
        Data::None => return None,
        Data::Json(json) => Cow::Borrowed(json.as_str().trim_ascii().as_bytes()),
        Data::Binary(bytes) => Cow::Borrowed(bytes),
        Data::Text(text) => {
            let media_type = event.datacontenttype().unwrap_or_default();
            if media_type.to_ascii_lowercase().contains("iso-8859-1") {
                Cow::Owned(text.chars().map(|c| u8::try_from(c).unwrap()).collect())
            } else {
                Cow::Borrowed(text.as_bytes())
            }
        }
    })
}

/// Holds what was said beforehand against what became of the event.
fn hold(lost: &[Loss<'_>], sent: &Event<'_>, to: Place) -> Result<(), TestCaseError> {
    if let Err(error) = write(sent, to) {
        prop_assert_eq!(lost, [Loss::Unwritable(error)]);
        return Ok(());
    }
    let Some(arrived) = carried(sent, to) else {
        prop_assert_eq!(lost, [Loss::Unreadable]);
        return Ok(());
    };
    prop_assert_eq!(
        lost.is_empty(),
        arrived == *sent,
        "{:?} {:?}",
        lost,
        &arrived
    );
    for ((name, value), (its_name, its_value)) in
        attributes(sent).into_iter().zip(attributes(&arrived))
    {
        prop_assert_eq!((name, value.text()), (its_name, its_value.text()));
        let said = lost.iter().find_map(|loss| match loss {
            Loss::ExtensionType {
                name: its_name,
                ty,
                arrives_as,
            } if *its_name == name => Some((*ty, *arrives_as)),
            _ => None,
        });
        let seen = (value.ty() != its_value.ty()).then(|| (value.ty(), its_value.ty()));
        prop_assert_eq!(said, seen, "{}", name);
    }
    prop_assert_eq!(attributes(sent).len(), attributes(&arrived).len());
    let content_types = (sent.datacontenttype(), arrived.datacontenttype());
    if lost.contains(&Loss::ImpliedContentType) {
        prop_assert_eq!(content_types, (None, Some("application/json")));
    } else {
        prop_assert_eq!(content_types.0, content_types.1);
    }
    if lost.contains(&Loss::EmptyData) {
        prop_assert!(bytes(sent).is_some_and(|bytes| bytes.is_empty()));
        prop_assert_eq!(arrived.data(), &Data::None);
    } else if let (Data::Binary(before), Data::Json(after)) = (sent.data(), arrived.data()) {
        prop_assert_eq!(&**before, after.as_str().as_bytes());
    } else {
        prop_assert_eq!(bytes(sent), bytes(&arrived));
    }
    Ok(())
}

#[test]
fn names_what_a_hop_does_not_carry() {
    let event = || Event::new("1", "/a", "b").unwrap();
    let json = |text| JsonText::new(text).unwrap();
    let flagged = event().with_extension("flag", true).unwrap();
    let flag = |arrives_as| Loss::ExtensionType {
        name: "flag",
        ty: AttributeType::Boolean,
        arrives_as,
    };
    let empty = event().with_text("text/plain", "").unwrap();
    let untyped = event().with_data_alone(Data::Json(json("1"))).unwrap();
    let padded = event().with_json(json("1 "));
    let deep = "[".repeat(127) + &"]".repeat(127);
    let deep = event().with_json(JsonText::new(deep).unwrap());
    let broken = event().with_bytes("application/json", b"{").unwrap();
    let raw = event().with_bytes("text/plain", b"a").unwrap();
    let announcing = event()
        .with_bytes("application/cloudevents+avro", b"a")
        .unwrap();
    let announcing_is_refused = Loss::Unwritable(EncodeError::AnnouncesStructured);
    let (text, headers) = (ContentMode::Structured, ContentMode::Binary);
    for (event, from, to, expected) in [
        (&flagged, (&HTTP, text), (&KAFKA, text), vec![]),
        (
            &flagged,
            (&HTTP, text),
            (&KAFKA, headers),
            vec![flag(AttributeType::String)],
        ),
        // It was lost before.
        (&flagged, (&HTTP, headers), (&KAFKA, headers), vec![]),
        (&empty, (&KAFKA, headers), (&KAFKA, headers), vec![]),
        (
            &empty,
            (&KAFKA, headers),
            (&NATS, headers),
            vec![Loss::EmptyData],
        ),
        (
            &untyped,
            (&NATS, text),
            (&HTTP, headers),
            vec![Loss::ImpliedContentType],
        ),
        (&padded, (&HTTP, headers), (&NATS, headers), vec![]),
        (
            &padded,
            (&HTTP, headers),
            (&NATS, text),
            vec![Loss::OuterSpace],
        ),
        (
            &broken,
            (&HTTP, text),
            (&KAFKA, headers),
            vec![Loss::Unreadable],
        ),
        (&raw, (&HTTP, text), (&KAFKA, headers), vec![Loss::DataKind]),
        (
            &announcing,
            (&NATS, headers),
            (&KAFKA, headers),
            vec![announcing_is_refused],
        ),
        (
            &announcing,
            (&KAFKA, headers),
            (&HTTP, headers),
            vec![Loss::ImpossibleOrigin],
        ),
        (
            &deep,
            (&HTTP, text),
            (&KAFKA, text),
            vec![Loss::ImpossibleOrigin],
        ),
    ] {
        let lost = loss(event, from, to);
        assert_eq!(lost, expected, "{event:?}");
    }
}

/// The event around data is the first of 127 levels, in every mode.
#[test]
fn data_of_127_levels_is_said_to_arrive_nowhere_and_does_not() {
    for (levels, arrives) in [(126, true), (127, false)] {
        for (opening, inner, closing) in [("[", "", "]"), ("{\"a\":", "0", "}")] {
            let text = opening.repeat(levels) + inner + &closing.repeat(levels);
            let event = Event::new("1", "/a", "b").unwrap();
            let event = event.with_json(JsonText::new(text).unwrap());
            for to in PLACES {
                assert_eq!(carried(&event, to).is_some(), arrives, "{levels} {to:?}");
                let lost = loss(&event, to, to);
                let expected: &[Loss<'_>] = if arrives {
                    &[]
                } else {
                    &[Loss::ImpossibleOrigin]
                };
                assert_eq!(lost, expected, "{levels} {to:?}");
            }
        }
    }
}

proptest! {
    #[test]
    fn every_hop_loses_what_was_said_and_nothing_else(
        event in specimen(),
        from in select(PLACES.to_vec()),
    ) {
        let sent = carried(&event, from);
        for to in PLACES {
            let lost = loss(&event, from, to);
            match &sent {
                Some(sent) => hold(&lost, sent, to)?,
                None => prop_assert_eq!(lost, [Loss::ImpossibleOrigin]),
            }
        }
    }
}
