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
