//! Events through serde: the text that the writer writes, and the checks that the reader makes.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use cloudevents_nl_codec::{
    AttributeType, Data, Event, JsonText, PayloadError, Value, encode_structured,
};
use serde_json::json;
use std::error::Error as _;

fn events() -> Vec<Event<'static>> {
    let event = || {
        Event::new("1", "/a", "nl.brp.verhuisd")
            .unwrap()
            .with_subject("S\u{fa}dwest \"99%\"")
            .unwrap()
            .with_extension("flag", true)
            .unwrap()
            .with_extension("sampledrate", -30)
            .unwrap()
            .with_extension(
                "dataref",
                Value::parse(AttributeType::UriReference, "/b").unwrap(),
            )
            .unwrap()
    };
    let data = |text: &'static str| JsonText::new(text).unwrap();
    vec![
        event(),
        event().with_json(data(r#"{"a": 1.50, "a":1e400, "s":"\ud83d"}"#)),
        event().with_data_alone(Data::Json(data("null"))).unwrap(),
        event()
            .with_text("text/plain", "a\n\u{0}\"\\\u{7f}")
            .unwrap(),
        event().with_bytes("a/b", &b"\0\xFF"[..]).unwrap(),
        event().with_data_alone(Data::Binary(b"".into())).unwrap(),
    ]
}

#[test]
fn the_text_is_that_of_the_writer_and_comes_back_equal() {
    for event in events() {
        let mut expected = Vec::new();
        encode_structured(&event, &mut expected);
        let text = serde_json::to_string(&event).unwrap();
        assert_eq!(text.as_bytes(), expected);
        let again: Event<'static> = serde_json::from_str(&text).unwrap();
        assert_eq!(again, event);
        let again: Event<'static> = serde_json::from_reader(text.as_bytes()).unwrap();
        assert_eq!(again, event);
    }
}

#[test]
fn values_in_memory_become_events_and_back() {
    let value = json!({"specversion": "1.0", "id": "1", "source": "/a", "type": "b", "data": [1]});
    let event: Event<'_> = serde_json::from_value(value.clone()).unwrap();
    assert_eq!(event.data_as(), Ok(vec![1]));
    assert_eq!(serde_json::to_value(&event).unwrap(), value);
}

#[test]
fn what_is_no_event_is_refused_as_by_the_reader() {
    for (text, told) in [
        (
            r#"{"specversion":"1.0","id":"","source":"/a","type":"b"}"#,
            "attribute \"id\": empty",
        ),
        (
            r#"{"id":"1","id":"1"}"#,
            "attribute \"id\": given more than once",
        ),
        ("[]", "byte 0: not a JSON object"),
        ("{", "EOF while parsing"),
    ] {
        let error = serde_json::from_str::<Event<'_>>(text).unwrap_err();
        assert!(error.to_string().starts_with(told), "{error}");
    }
}

#[test]
fn values_become_json_texts_unless_json_has_no_form_for_them() {
    let text = JsonText::of_value(&("a\"", [1.5], None::<u8>)).unwrap();
    assert_eq!(text.as_str(), r#"["a\"",[1.5],null]"#);
    let keyed = std::collections::BTreeMap::from([((1, 2), 3)]);
    let deep = (0..200).fold(json!(0), |inner, _| json!([inner]));
    for (refused, told) in [
        (JsonText::of_value(&keyed), "key must be a string"),
        (JsonText::try_from(deep), "nesting deeper"),
    ] {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, PayloadError::NotSerializable(_)));
        let cause = refused.source().unwrap().to_string();
        assert!(cause.starts_with(told), "{cause}");
    }
}

#[test]
fn a_format_that_cannot_hold_json_is_refused() {
    for event in events() {
        let refused = ciborium::into_writer(&event, Vec::new()).unwrap_err();
        assert!(
            refused.to_string().contains("encode_structured"),
            "{refused}"
        );
    }
}

/// serde takes the members apart before the event sees them, and the text is gone.
#[test]
fn an_event_among_the_members_of_another_type_cannot_be_read() {
    #[derive(Debug, serde::Serialize, serde::Deserialize)]
    struct Flat {
        attempt: u32,
        #[serde(flatten)]
        event: Event<'static>,
    }
    #[derive(Debug, serde::Serialize, serde::Deserialize)]
    #[serde(untagged)]
    enum Untagged {
        Event(Event<'static>),
    }
    #[derive(Debug, serde::Serialize, serde::Deserialize)]
    #[serde(tag = "attempt")]
    enum Tagged {
        First(Event<'static>),
    }
    let event = Event::new("1", "/a", "b").unwrap();
    let text = serde_json::to_string(&Flat { attempt: 1, event }).unwrap();
    let written = r#"{"attempt":1,"specversion":"1.0","id":"1","source":"/a","type":"b"}"#;
    assert_eq!(text, written);
    let error = serde_json::from_str::<Flat>(&text).unwrap_err();
    let told = "invalid type: newtype struct, expected any valid JSON value";
    assert!(error.to_string().starts_with(told), "{error}");
    assert!(serde_json::from_str::<Untagged>(&text).is_err());
    let tagged = text.replace("\"attempt\":1", "\"attempt\":\"First\"");
    assert!(serde_json::from_str::<Tagged>(&tagged).is_err());
}
