//! What holds for every event and every text.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use cloudevents_nl_codec::{
    Binding, ContentMode, Data, Decoded, Decoder, Event, HTTP, Header, HeaderList, KAFKA, NATS,
    encode, encode_structured, join_batch,
};
use cloudevents_nl_conformance::generate::{self, Shape, json, shape};
use proptest::prelude::*;

const BINDINGS: [&Binding; 3] = [&HTTP, &KAFKA, &NATS];

fn structured(event: &Event<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    encode_structured(event, &mut text);
    text
}

fn binary(event: &Event<'_>, binding: &Binding) -> (HeaderList, Option<Vec<u8>>) {
    let mut headers = HeaderList::default();
    let body = encode(event, binding, ContentMode::Binary, headers.sink()).unwrap();
    (headers, body.map(Into::into))
}

fn read(binding: &Binding, headers: &HeaderList, body: Option<&[u8]>) -> Event<'static> {
    let event = Decoder::default().decode(binding, headers.iter(), body);
    event.unwrap().into_owned()
}

/// Attributes as binary mode can carry them: names and canonical strings.
fn attributes(event: &Event<'_>) -> Vec<(String, String)> {
    let mut all: Vec<_> = event
        .attributes()
        .map(|(name, value)| (name.to_owned(), value.text().into_owned()))
        .collect();
    all.sort();
    all
}

proptest! {
    #[test]
    fn structured_mode_is_inverse_and_canonical(shape in shape()) {
        let event = shape.event();
        let text = structured(&event);
        let again = Decoder::default().decode_structured(&text).unwrap();
        prop_assert_eq!(&again, &event);
        prop_assert_eq!(structured(&again), text);
    }

    #[test]
    fn binary_mode_keeps_attributes_and_bytes(shape in shape()) {
        let event = shape.event();
        for binding in BINDINGS {
            let (headers, body) = binary(&event, binding);
            let again = read(binding, &headers, body.as_deref());
            let mut expected = attributes(&event);
            if matches!(event.data(), Data::Json(_)) && event.datacontenttype().is_none() {
                expected.push(("datacontenttype".into(), "application/json".into()));
                expected.sort();
            }
            prop_assert_eq!(attributes(&again), expected);
            let (headers_again, body_again) = binary(&again, binding);
            let is_lost = !binding.has_null_body && body.as_ref().is_some_and(Vec::is_empty);
            prop_assert_eq!(body_again, if is_lost { None } else { body });
            prop_assert_eq!(headers_again, headers);
        }
    }

    #[test]
    fn json_data_keeps_its_bytes_over_every_hop(text in json(), pad in "[ \n\t]{0,3}") {
        let whole = format!(
            r#"{{"data":{pad}{text}{pad},"id":"1","source":"/a","type":"t","specversion":"1.0"}}"#
        );
        let event = Decoder::default().decode_structured(whole.as_bytes()).unwrap().into_owned();
        for binding in BINDINGS {
            let (headers, body) = binary(&event, binding);
            prop_assert_eq!(body.as_deref(), Some(text.as_bytes()));
            let back = structured(&read(binding, &headers, body.as_deref()));
            let end = format!(",\"data\":{text}}}");
            prop_assert!(back.ends_with(end.as_bytes()));
        }
    }

    #[test]
    fn a_batch_is_its_elements(shapes in prop::collection::vec(shape(), 0..4)) {
        let events: Vec<_> = shapes.iter().map(Shape::event).collect();
        let texts: Vec<_> = events.iter().map(structured).collect();
        let mut batch = Vec::new();
        join_batch(texts.iter().map(Vec::as_slice), &mut batch);
        let elements = Decoder::default().decode_batch(&batch).unwrap();
        prop_assert!(elements.iter().map(|element| element.text).eq(&texts));
        prop_assert!(elements.iter().map(|element| &element.event).eq(&events));
    }

    #[test]
    fn percent_coding_stays_printable_and_is_inverse(subject in generate::text(1..40)) {
        let shape = Shape { subject: Some(subject.clone()), ..Shape::least() };
        for binding in [&HTTP, &NATS] {
            let (headers, _) = binary(&shape.event(), binding);
            for header in headers.iter() {
                prop_assert!(header.value.unwrap().iter().all(|byte| matches!(byte, b'!'..=b'~')));
            }
            let again = read(binding, &headers, Some(b""));
            prop_assert_eq!(again.subject(), Some(&*subject));
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(
        body in prop::collection::vec(any::<u8>(), 0..200),
        headers in prop::collection::vec(generate::header(), 0..8),
    ) {
        let decoder = Decoder::default();
        let headers: Vec<_> = headers
            .iter()
            .map(|(name, value)| Header { name, value: value.as_deref() })
            .collect();
        for binding in BINDINGS {
            for body in [None, Some(&*body)] {
                let _mode = Decoder::mode(binding, headers.iter().copied());
                let result = decoder.decode_any(binding, headers.iter().copied(), body);
                if let Err(error) = &result {
                    prop_assert!(!error.to_string().is_empty());
                }
                if let Ok(Decoded::Binary(event) | Decoded::Structured(event)) = result {
                    let text = structured(&event);
                    prop_assert_eq!(&decoder.decode_structured(&text), &Ok(event));
                }
            }
        }
        drop(decoder.decode_structured(&body));
        drop(decoder.decode_batch(&body));
    }
}
