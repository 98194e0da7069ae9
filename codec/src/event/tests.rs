use super::*;
use crate::error::{AttributeFault, EventError};
use crate::{AttributeType, JsonText};

fn event() -> Event<'static> {
    Event::new("1", "/a", "a.b").unwrap()
}

#[test]
fn refuses_what_the_core_specification_refuses() {
    for (name, value, fault) in [
        ("id", "", AttributeFault::Empty),
        ("id", "a\nb", AttributeFault::Character),
        ("source", "a b", AttributeFault::UriReference),
        ("type", "\u{ffff}", AttributeFault::Character),
        ("specversion", "0.3", AttributeFault::SpecVersion),
        ("subject", "", AttributeFault::Empty),
        ("time", "today", AttributeFault::Timestamp),
        ("dataschema", "/relative", AttributeFault::Uri),
        ("datacontenttype", "json", AttributeFault::MediaType),
        ("data", "x", AttributeFault::Name),
        ("My", "x", AttributeFault::Name),
        ("ext", "\u{7f}", AttributeFault::Character),
    ] {
        let result = event().with_attribute(name, value);
        assert_eq!(result, Err(EventError::new(name, fault)), "{name}");
    }
    assert!(event().with_extension("id", Value::Integer(1)).is_err());
}

#[test]
fn keeps_data_and_content_type_together() {
    let json = || Data::Json(JsonText::new("1").unwrap());
    let text = || Data::Text("1".into());
    let other = Err(EventError::DataUnderOtherType);
    assert_eq!(event().with_data("text/plain", json()), other);
    assert_eq!(event().with_data("text/json", text()), other);
    assert_eq!(event().with_data_alone(text()), other);
    let event = event().with_data_alone(json()).unwrap();
    assert_eq!(
        event
            .clone()
            .with_attribute("datacontenttype", "text/plain"),
        other
    );
    assert!(event.with_data("text/plain".to_owned(), text()).is_ok());
}

#[test]
fn lists_attributes_in_canonical_order_and_ignores_order_in_equality() {
    let one = event()
        .with_attribute("b", "2")
        .unwrap()
        .with_attribute("sampledrate", "5")
        .unwrap()
        .with_attribute("time", "2021-12-10T17:31:00Z")
        .unwrap();
    let names: Vec<_> = one.attributes().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        [
            "specversion",
            "id",
            "source",
            "type",
            "time",
            "b",
            "sampledrate"
        ]
    );
    assert_eq!(one.attribute("sampledrate"), Some(Value::Integer(5)));
    assert_eq!(
        one.attribute("source").unwrap().ty(),
        AttributeType::UriReference
    );
    let other = event()
        .with_attribute("time", "2021-12-10T17:31:00Z")
        .unwrap()
        .with_attribute("sampledrate", "5")
        .unwrap()
        .with_attribute("b", "2")
        .unwrap();
    assert_eq!(one, other);
    assert_ne!(one.clone(), other.with_attribute("b", "3").unwrap());
    assert_eq!(one.clone().into_owned(), one);
}

#[test]
fn values_of_all_seven_types_are_taken_in_their_form_only() {
    for (ty, text, fault) in [
        (AttributeType::Boolean, "true", None),
        (AttributeType::Integer, "-2147483648", None),
        (AttributeType::String, "", None),
        (AttributeType::Binary, "AP8=", None),
        (AttributeType::Uri, "urn:a", None),
        (AttributeType::UriReference, "/a", None),
        (AttributeType::Timestamp, "2021-12-10T17:31:00Z", None),
        (
            AttributeType::Boolean,
            "True",
            Some(AttributeFault::NotABoolean),
        ),
        (
            AttributeType::Integer,
            "1.0",
            Some(AttributeFault::NotAnInteger),
        ),
        (
            AttributeType::String,
            "a\nb",
            Some(AttributeFault::Character),
        ),
        (AttributeType::Binary, "AP8", Some(AttributeFault::Base64)),
        (AttributeType::Uri, "/a", Some(AttributeFault::Uri)),
        (
            AttributeType::UriReference,
            "a b",
            Some(AttributeFault::UriReference),
        ),
        (
            AttributeType::Timestamp,
            "2021-12-10",
            Some(AttributeFault::Timestamp),
        ),
    ] {
        let value = match (Value::parse(ty, text), fault) {
            (Ok(value), None) => value,
            (parsed, fault) => {
                assert_eq!(parsed.err(), fault, "{text}");
                continue;
            }
        };
        let event = event().with_extension("ext", value.clone()).unwrap();
        assert_eq!(event.extension("ext"), Some(&value));
        assert_eq!((value.ty(), value.to_string().as_str()), (ty, text));
        assert_eq!(value.as_str().unwrap_or(text), text);
        assert_eq!(value.clone().into_owned(), value);
    }
    let refused = event().with_extension("ext", String::from("a\nb"));
    let fault = AttributeFault::Character;
    assert_eq!(refused, Err(EventError::new("ext", fault)));
}

#[test]
fn only_what_an_event_can_be_without_is_taken_away() {
    let full = event()
        .with_subject("s")
        .and_then(|event| event.with_extension("ext", 1))
        .and_then(|event| event.with_text("text/plain", "a"))
        .unwrap();
    for name in ["specversion", "id", "source", "type"] {
        let refused = full.clone().without(name).unwrap_err();
        assert_eq!(refused, EventError::new(name, AttributeFault::Missing));
    }
    let refused = full.clone().without("datacontenttype").unwrap_err();
    assert_eq!(refused, EventError::DataUnderOtherType);
    let bare = full.with_data_alone(Data::None).unwrap();
    let names = ["datacontenttype", "subject", "ext", "none"];
    let bare = names.into_iter().try_fold(bare, Event::without);
    assert_eq!(bare, Ok(event()));
}

#[test]
fn each_setter_sets_its_attribute_or_says_why_not() {
    let full = event()
        .with_subject("s")
        .and_then(|event| event.with_time("2021-12-10T17:31:00Z"))
        .and_then(|event| event.with_dataschema("urn:schema:1"))
        .unwrap();
    assert_eq!(full.subject(), Some("s"));
    assert_eq!(full.time(), Some("2021-12-10T17:31:00Z"));
    assert_eq!(full.dataschema(), Some("urn:schema:1"));
    let refused = |name, fault| Err(EventError::new(name, fault));
    assert_eq!(
        event().with_subject(""),
        refused("subject", AttributeFault::Empty)
    );
    assert_eq!(
        event().with_time("today"),
        refused("time", AttributeFault::Timestamp)
    );
    assert_eq!(
        event().with_dataschema("/a"),
        refused("dataschema", AttributeFault::Uri)
    );
}

#[test]
fn data_brings_its_content_type_along() {
    let json = || JsonText::new("[1]").unwrap();
    let media_type = |event: Event<'_>| event.datacontenttype().map(str::to_owned);
    let json_type = Some("application/json".to_owned());
    assert_eq!(media_type(event().with_json(json())), json_type);
    let text = event().with_text("text/plain", "a").unwrap();
    assert_eq!(media_type(text.with_json(json())), json_type);
    let linked = event().with_bytes("application/ld+json", b"{}").unwrap();
    let linked = linked.with_json(json());
    assert_eq!(linked.data(), &Data::Json(json()));
    assert_eq!(linked.datacontenttype(), Some("application/ld+json"));
    let text = linked.with_text("text/plain", "a").unwrap();
    assert_eq!(text.data(), &Data::Text("a".into()));

    let other = Err(EventError::DataUnderOtherType);
    assert_eq!(event().with_text("application/json", "a"), other);
    let malformed = EventError::new("datacontenttype", AttributeFault::MediaType);
    assert_eq!(event().with_text("text", "a"), Err(malformed.clone()));
    assert!(event().with_bytes("", b"a").is_err());
    assert_eq!(event().with_bytes("a b/c", b"a"), Err(malformed));
}
