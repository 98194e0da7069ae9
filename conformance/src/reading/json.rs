//! Events in the JSON format.

use super::event::{At, Attribute, Event, Value};
use super::{Reading, Unreadable};
use crate::capture::Capture;
use crate::json::{self, Document, Member};

pub(super) fn read_event(reading: &mut Reading<'_>) {
    let body = reading.capture.body();
    let (at, raw) = match json::parse(body) {
        Ok(Document::Object(members)) => {
            let event = event(reading.capture, None, members, body.len());
            return reading.events.push(event);
        }
        Ok(Document::Array(_)) => (body.len() - body.trim_ascii_start().len(), "["),
        Ok(Document::Other(value)) => (value.at, value.raw),
        Err(fault) => return reading.unreadable.push(Unreadable::Json(fault)),
    };
    let element = None;
    let unreadable = Unreadable::NotAnObject { at, element, raw };
    reading.unreadable.push(unreadable);
}

pub(super) fn read_batch(reading: &mut Reading<'_>) {
    let body = reading.capture.body();
    let elements = match json::parse(body) {
        Ok(Document::Array(elements)) => elements,
        Ok(_) => {
            let at = body.len() - body.trim_ascii_start().len();
            return reading.unreadable.push(Unreadable::NotAnArray { at });
        }
        Err(fault) => return reading.unreadable.push(Unreadable::Json(fault)),
    };
    for (index, value) in elements.into_iter().enumerate() {
        let element = Some(index);
        match value.members() {
            Some(members) => {
                let event = event(reading.capture, element, members, value.raw.len());
                reading.events.push(event);
            }
            None => {
                let json::Value { at, raw } = value;
                let unreadable = Unreadable::NotAnObject { at, element, raw };
                reading.unreadable.push(unreadable);
            }
        }
    }
}

fn event<'c>(
    capture: &'c Capture,
    element: Option<usize>,
    members: Vec<Member<'c>>,
    bytes: usize,
) -> Event<'c> {
    let first = |name: &str| {
        let mut members = members.iter();
        Some(members.find(|member| member.name.text == name)?.value)
    };
    let (data, data_base64) = (first("data"), first("data_base64"));
    let is_attribute = |member: &&Member<'_>| !matches!(&*member.name.text, "data" | "data_base64");
    let attributes = members.iter().filter(is_attribute).map(|member| Attribute {
        name: member.name.text.clone(),
        value: value(member),
        at: At::Member {
            name: member.name_at,
            value: member.value.at,
        },
    });
    Event {
        element,
        attributes: attributes.collect(),
        members,
        data,
        data_base64: data_base64.filter(|value| !value.is_null()),
        is_json: true,
        ..Event::new(capture, bytes)
    }
}

fn value<'c>(member: &Member<'c>) -> Value<'c> {
    let raw = member.value.raw;
    match raw.as_bytes() {
        [b'n', ..] => Value::Unset,
        [b't', ..] => Value::Boolean(true),
        [b'f', ..] => Value::Boolean(false),
        [b'{' | b'[', ..] => Value::Nested(raw),
        _ => match member.value.text() {
            Some(text) if text.is_broken => Value::Broken(text.text),
            Some(text) => Value::Text(text.text),
            None => Value::Number(raw),
        },
    }
}
