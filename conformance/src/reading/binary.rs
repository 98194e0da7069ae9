//! Events in binary mode.

use std::borrow::Cow;

use super::attribute_name;
use super::event::{At, Attribute, Event, Value};
use crate::capture::{Capture, Header, Protocol};
use crate::grammar::media_type::{is_json, is_media_type};
use crate::grammar::percent;
use crate::grammar::text::is_control;
use crate::json;

pub(super) fn read(capture: &Capture) -> Event<'_> {
    let protocol = capture.protocol;
    let mut attributes = Vec::with_capacity(capture.headers.len());
    let mut forbidden = Vec::new();
    for header in &capture.headers {
        let is_content_type = protocol.is_same_name(&header.name, "content-type");
        match attribute_name(protocol, &header.name) {
            // Its place is `content-type`; it is a fallback and no more.
            Some(name) if name == "datacontenttype" && protocol != Protocol::Nats => {
                forbidden.push(attribute(name, header, protocol));
            }
            Some(name) => attributes.push(attribute(name, header, protocol)),
            None if is_content_type && protocol != Protocol::Nats => {
                attributes.push(content_type(header));
            }
            None => {}
        }
    }
    let has_type = |attributes: &[Attribute<'_>]| {
        let is_type =
            |attribute: &Attribute<'_>| attribute.name == "datacontenttype" && attribute.is_set();
        attributes.iter().any(is_type)
    };
    if !has_type(&attributes) {
        attributes.append(&mut forbidden);
    }
    if protocol == Protocol::Nats && !has_type(&attributes) {
        // Some senders write it as on HTTP. Where the data has not its form, it is another's.
        let types = capture.headers_named("content-type").map(content_type);
        attributes.extend(types.filter(|ty| is_type_of(ty, capture.body())));
    }
    let body = capture.body.as_deref();
    let length = |header: &Header| header.name.len() + header.value.as_ref().map_or(0, Vec::len);
    let bytes = capture.headers.iter().map(length).sum::<usize>() + capture.body().len();
    Event {
        attributes,
        body: body.filter(|body| protocol == Protocol::Kafka || !body.is_empty()),
        is_coded: capture.is_coded(),
        ..Event::new(capture, bytes)
    }
}

/// Whether an attribute is a media type that a body can have: one that means JSON stands beside JSON.
fn is_type_of(attribute: &Attribute<'_>, body: &[u8]) -> bool {
    let Value::Text(text) = &attribute.value else {
        return false;
    };
    let may_be = is_media_type(text) && !text.chars().any(is_control);
    may_be && (body.is_empty() || !is_json(text) || json::parse(body).is_ok())
}

fn content_type(header: &Header) -> Attribute<'_> {
    let value = header.value.as_deref().map(percent::trim);
    Attribute {
        name: Cow::Borrowed("datacontenttype"),
        value: text(value.map(Cow::Borrowed)),
        at: At::Header(header),
    }
}

fn attribute<'c>(name: Cow<'c, str>, header: &'c Header, protocol: Protocol) -> Attribute<'c> {
    let value = header.value.as_deref().map(|value| match protocol {
        Protocol::Kafka => Cow::Borrowed(value),
        Protocol::File | Protocol::Nats | Protocol::Http => percent::decode(value).bytes,
    });
    Attribute {
        name,
        value: text(value),
        at: At::Header(header),
    }
}

fn text(bytes: Option<Cow<'_, [u8]>>) -> Value<'_> {
    let Some(bytes) = bytes else {
        return Value::Unset;
    };
    let is_text = str::from_utf8(&bytes).is_ok();
    let text = match bytes {
        Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
        Cow::Owned(bytes) => Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()),
    };
    match is_text {
        true => Value::Text(text),
        false => Value::Broken(text),
    }
}
