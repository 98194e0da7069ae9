//! What a refusal can still name.

use proptest::prelude::*;
use serde_json::{Value as Json, json};

use super::*;
use crate::{BATCHED_JSON, Limits, PartialEvent, Register};

/// `id`, `source` and `type`, as far as they could be read.
fn named(error: &DecodeError) -> [Option<&str>; 3] {
    let partial = error.partial();
    [PartialEvent::id, PartialEvent::source, PartialEvent::ty].map(|part| partial.and_then(part))
}

const ALL: [Option<&str>; 3] = [Some("1"), Some("/a"), Some("b")];

#[test]
fn names_a_structured_event_as_far_as_it_can_be_read() {
    for (text, expected) in [
        (with(r#""time":"today""#), ALL),
        (with(r#""data":[1,]"#), ALL),
        (with(r#""data":"#), ALL),
        (with(r#""x":1}x"#), ALL),
        (with("\"x\":\"\u{1}\""), ALL),
        (with(r#""id":"2""#), [None, Some("/a"), Some("b")]),
        (with(r#""i\u0064":null"#), [None, Some("/a"), Some("b")]),
        (
            r#" {"id":"\u00e9 ","source":"/a b","type":7} "#.to_owned(),
            [Some("é "), Some("/a b"), None],
        ),
        (
            r#"{"id":"","source":"a\nb","type":"\ud800"}"#.to_owned(),
            [None; 3],
        ),
        (
            r#"{"\ud800":1,"id":"1"}"#.to_owned(),
            [Some("1"), None, None],
        ),
        (r#"{"data":{"id":"1"}}"#.to_owned(), [None; 3]),
        (r#"{"data":[1,],"id":"1"}"#.to_owned(), [None; 3]),
        ("[]".to_owned(), [None; 3]),
        (String::new(), [None; 3]),
    ] {
        assert_eq!(named(&error(&text)), expected, "{text}");
    }
    let mut text = with(r#""subject":"?""#).into_bytes();
    let at = text.iter().position(|byte| *byte == b'?').unwrap();
    text[at] = 0xFF;
    let error = Decoder::default().decode_structured(&text).unwrap_err();
    assert_eq!(named(&error), ALL);
}

#[test]
fn names_the_element_of_a_batch() {
    let other = r#"{"specversion":"1.0","id":"2","source":"/a","type":"b"}"#;
    let batch = format!("[{other},{},{other}]", with(r#""time":"today""#));
    let headers = [header("content-type", BATCHED_JSON)];
    let error = Decoder::default()
        .decode_any(&HTTP, headers, Some(batch.as_bytes()))
        .unwrap_err();
    assert_eq!((error.element, named(&error)), (Some(1), ALL));
}

#[test]
fn names_an_event_in_binary_mode_by_its_headers() {
    for binding in [&HTTP, &KAFKA, &NATS] {
        let time = format!("{}time", binding.prefix);
        let headers = binary(binding, &[header(&time, "today")]);
        let refused = Decoder::default()
            .decode(binding, headers, None)
            .unwrap_err();
        assert_eq!(named(&refused), ALL, "{}", binding.prefix);

        let json = header(binding.data_content_type, "application/json");
        let headers = binary(binding, &[json]);
        let refused = Decoder::default().decode(binding, headers, Some(b"{"));
        assert_eq!(named(&refused.unwrap_err()), ALL, "{}", binding.prefix);

        let id = format!("{}id", binding.prefix);
        let headers = binary(binding, &[header(&id, "2")]);
        let refused = Decoder::default()
            .decode(binding, headers, None)
            .unwrap_err();
        assert_eq!(named(&refused), [None, Some("/a"), Some("b")]);
    }
    let headers = [header("CE-ID", "a%20b"), header("ce-source", "/%zz")];
    let refused = Decoder::default().decode(&HTTP, headers, None).unwrap_err();
    assert_eq!(named(&refused), [Some("a b"), Some("/%zz"), None]);
    let headers = [header("ce_id", "a%20b"), header("CE_source", "/a")];
    let refused = Decoder::default()
        .decode(&KAFKA, headers, None)
        .unwrap_err();
    assert_eq!(named(&refused), [Some("a%20b"), None, None]);
}

#[test]
fn names_nothing_beyond_the_limits_or_in_another_format() {
    let refused = |limits: Limits, headers: &[Header<'static>], body| {
        let decoder = Decoder::new(limits, Register::default());
        let refused = decoder.decode(&HTTP, headers.iter().copied(), Some(body));
        refused.unwrap_err()
    };
    let few = Limits {
        headers: 3,
        ..Limits::default()
    };
    let up_to = |event_bytes| Limits {
        event_bytes,
        ..Limits::default()
    };
    let headers = binary(&HTTP, &[]);
    assert_eq!(named(&refused(few, &headers, b"")), [None; 3]);
    // The headers alone are within the limit.
    assert_eq!(named(&refused(up_to(60), &headers, &[b' '; 61])), ALL);
    assert_eq!(named(&refused(up_to(40), &headers, b"")), [None; 3]);
    let avro = header("content-type", "application/cloudevents+avro");
    let headers = binary(&HTTP, &[avro]);
    assert_eq!(named(&refused(Limits::default(), &headers, b"")), [None; 3]);
}

#[test]
fn leaves_out_what_is_long() {
    for (length, is_given) in [(512, true), (513, false)] {
        let id = "x".repeat(length);
        let expected = [is_given.then_some(&*id), None, None];
        assert_eq!(named(&error(&format!(r#"{{"id":"{id}"}}"#))), expected);
        let headers = [header("ce_id", &id)];
        let refused = Decoder::default().decode(&KAFKA, headers, None);
        assert_eq!(named(&refused.unwrap_err()), expected);
    }
}

#[test]
fn errors_are_equal_whatever_else_could_be_read() {
    let [first, second] = [r#"{"id":"1","type":5}"#, r#"{"id":"2","type":5}"#].map(error);
    assert_ne!(first.partial(), second.partial());
    assert_eq!(first, second);
}

proptest! {
    /// What is given is what another reader finds in the same text, if that can read it.
    #[test]
    fn a_changed_event_is_named_as_another_reader_does(
        values in prop::array::uniform3("[ -~é\u{1}]{0,12}"),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
    ) {
        let [id, source, ty] = &values;
        let event = json!({"specversion": "1.0", "id": id, "source": source, "type": ty, "time": "?"});
        let mut text = event.to_string().into_bytes();
        for (at, byte) in changes {
            let at = at.index(text.len());
            text[at] = byte;
        }
        let Err(error) = Decoder::default().decode_structured(&text) else {
            return Ok(());
        };
        if let Ok(read) = serde_json::from_slice::<Json>(&text) {
            for (name, given) in ["id", "source", "type"].into_iter().zip(named(&error)) {
                if let Some(given) = given {
                    prop_assert_eq!(read[name].as_str(), Some(given));
                }
            }
        }
    }

    /// An event that is cut off anywhere is never named by another text than its own.
    #[test]
    fn an_event_that_is_cut_off_is_named_as_it_was(
        values in prop::array::uniform3("[ -~é😀]{1,12}"),
        length: prop::sample::Index,
    ) {
        let [id, source, ty] = &values;
        let text = json!({"id": id, "source": source, "type": ty, "data": [1, 2]}).to_string();
        let cut = &text.as_bytes()[..length.index(text.len())];
        let error = Decoder::default().decode_structured(cut).unwrap_err();
        for (value, given) in values.iter().zip(named(&error)) {
            prop_assert!(given.is_none_or(|given| given == value));
        }
    }

    #[test]
    fn headers_name_an_event_as_they_were_sent(values in prop::array::uniform3("[ -~é]{1,12}")) {
        let [id, source, ty] = values.each_ref().map(String::as_str);
        let Ok(event) = Event::new(id, source, ty) else {
            return Ok(());
        };
        for binding in [&HTTP, &KAFKA, &NATS] {
            let mut list = crate::HeaderList::default();
            encode(&event, binding, ContentMode::Binary, list.sink()).unwrap();
            list.push(&format!("{}time", binding.prefix), Some(b"today"));
            let error = Decoder::default().decode(binding, list.iter(), None).unwrap_err();
            prop_assert_eq!(named(&error), [Some(id), Some(source), Some(ty)]);
        }
    }
}
