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
    let stamp = Value::Timestamp("never".into());
    assert!(event().with_extension("ext", stamp).is_err());
    assert!(event().with_extension("id", Value::Integer(1)).is_err());
}

#[test]
fn keeps_data_and_content_type_together() {
    let json = || Data::Json(JsonText::new("1").unwrap());
    let text = || Data::Text("1".into());
    let other = Err(EventError::DataUnderOtherType);
    assert_eq!(event().with_data(Some("text/plain"), json()), other);
    assert_eq!(event().with_data(Some("text/json"), text()), other);
    assert_eq!(event().with_data(None, text()), other);
    let event = event().with_data(None, json()).unwrap();
    assert_eq!(
        event
            .clone()
            .with_attribute("datacontenttype", "text/plain"),
        other
    );
    assert!(event.with_data(Some("text/plain"), text()).is_ok());
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
    let uri = |text: &'static str| Value::Uri(text.into());
    let moment = |text: &'static str| Value::Timestamp(text.into());
    let reference = |text: &'static str| Value::UriReference(text.into());
    for (value, expected) in [
        (true.into(), Ok("true")),
        (i32::MIN.into(), Ok("-2147483648")),
        ("text".into(), Ok("text")),
        (String::from("").into(), Ok("")),
        (Value::binary(b"\0\xFF"), Ok("AP8=")),
        (uri("urn:a"), Ok("urn:a")),
        (reference("/a"), Ok("/a")),
        (moment("2021-12-10T17:31:00Z"), Ok("2021-12-10T17:31:00Z")),
        ("a\nb".into(), Err(AttributeFault::Character)),
        (Value::Binary("AP8".into()), Err(AttributeFault::Base64)),
        (uri("/a"), Err(AttributeFault::Uri)),
        (reference("a b"), Err(AttributeFault::UriReference)),
        (moment("2021-12-10"), Err(AttributeFault::Timestamp)),
    ] {
        let ty = value.ty();
        let built = event().with_extension("ext", value);
        let found = built.map(|event| {
            let value = event.attribute("ext").unwrap();
            assert_eq!(value.ty(), ty);
            value.text().into_owned()
        });
        let expected = expected.map(str::to_owned);
        let expected = expected.map_err(|fault| EventError::new("ext", fault));
        assert_eq!(found, expected);
    }
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
