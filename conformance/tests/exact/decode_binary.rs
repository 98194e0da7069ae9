//! Messages in: the mode is what the headers announce, the attributes are what they spell, and the
//! event survives being written again. [`super::translate`] has the ways to other protocols and modes.
//!
//! What a message in binary mode holds is predicted by writing its attributes as a JSON event, which
//! [`reference`] reads. Left open are values in quotes, which the crate for percent-coding has no
//! notion of, and headers named like data.

use std::collections::BTreeMap;

use cloudevents_nl_codec::{
    Binding, ContentMode, Data, DecodeError, Decoded, Decoder, Event, Header, HeaderList, Limits,
    Place, encode,
};
use serde_json::Value;

use super::grammar;
use super::input::{self, Received};
use super::reference::{self, Reading};
use super::tokens::depth;
use super::validate::DEPTH_MAX;

/// Reads a message in the form of [`input::message`].
pub(crate) fn check(input: &[u8]) {
    let Some(received) = input::message(input) else {
        return;
    };
    let headers: Vec<_> = received
        .headers
        .iter()
        .map(|&(name, value)| Header { name, value })
        .collect();
    let binding = received.binding;
    let mode = mode(&received);
    assert_eq!(
        Decoder::mode(binding, headers.iter().copied()),
        mode,
        "{received:?}"
    );
    let decoded = Decoder::default().decode_any(binding, headers.iter().copied(), received.body);
    if let Err(error) = &decoded {
        assert_located(error, &received);
    }
    match (mode, decoded) {
        (ContentMode::Binary, Ok(Decoded::Binary(event))) => {
            assert_predicted(&received, Some(&event));
            assert_eq!(read_again(binding, &event), event, "{received:?}");
        }
        (ContentMode::Binary, Err(_)) => assert_predicted(&received, None),
        // The headers say nothing more then, so that the body alone decides.
        (ContentMode::Structured, Ok(Decoded::Structured(event))) => {
            let text = received.body.unwrap_or_default();
            assert_eq!(Decoder::default().decode_structured(text), Ok(event));
        }
        (ContentMode::Batched, Ok(Decoded::Batch(elements))) => {
            let text = received.body.unwrap_or_default();
            assert_eq!(Decoder::default().decode_batch(text), Ok(elements));
        }
        (ContentMode::Structured | ContentMode::Batched, Err(_)) => {}
        (_, Ok(other)) => panic!("{other:?} of {received:?}"),
    }
}

/// The event after a hop in binary mode.
fn read_again(binding: &Binding, event: &Event<'_>) -> Event<'static> {
    let mut list = HeaderList::default();
    let body = encode(event, binding, ContentMode::Binary, list.sink());
    let body = body.expect("binary mode held it before");
    match Decoder::default().decode_any(binding, list.iter(), body.as_deref()) {
        Ok(Decoded::Binary(again)) => again.into_owned(),
        other => panic!("{other:?} of what was written for {event:?}"),
    }
}

/// Whether a header has that name, by the binding's rule of case.
fn is_named(binding: &Binding, name: &str, expected: &str) -> bool {
    match binding.ignores_case {
        true => name.eq_ignore_ascii_case(expected),
        false => name == expected,
    }
}

/// The name of the attribute that a header carries.
fn attribute_name(binding: &Binding, header: &str) -> Option<String> {
    let (prefix, name) = header.split_at_checked(binding.prefix.len())?;
    is_named(binding, prefix, binding.prefix).then(|| match binding.ignores_case {
        true => name.to_ascii_lowercase(),
        false => name.to_owned(),
    })
}

/// The values of all headers of that name.
fn values<'r>(received: &'r Received<'_>, name: &str) -> Vec<Option<&'r [u8]>> {
    let named = |header: &&(&str, _)| is_named(received.binding, header.0, name);
    received
        .headers
        .iter()
        .filter(named)
        .map(|header| header.1)
        .collect()
}

/// The mode that the content type announces, or that of a bare message on NATS.
fn mode(received: &Received<'_>) -> ContentMode {
    let binding = received.binding;
    let content_type = values(received, binding.content_type)
        .into_iter()
        .flatten()
        .next();
    let content_type = content_type
        .unwrap_or_default()
        .trim_ascii()
        .to_ascii_lowercase();
    let mut names = received.headers.iter().map(|header| header.0);
    if content_type.starts_with(b"application/cloudevents-batch") {
        ContentMode::Batched
    } else if content_type.starts_with(b"application/cloudevents")
        || binding.may_be_bare && !names.any(|name| attribute_name(binding, name).is_some())
    {
        ContentMode::Structured
    } else {
        ContentMode::Binary
    }
}

/// Holds what was read, or that nothing was, against the prediction.
fn assert_predicted(received: &Received<'_>, event: Option<&Event<'_>>) {
    if received.headers.len() > Limits::default().headers {
        return assert_eq!(event, None, "{received:?}");
    }
    let text = match twin(received) {
        Twin::Text(text) => text,
        Twin::Refused => return assert_eq!(event, None, "{received:?}"),
        Twin::Open => return,
    };
    let expected = match reference::read(text.as_bytes()) {
        Reading::Event(reference) => reference.attributes,
        Reading::Refused => return assert_eq!(event, None, "{received:?}"),
        Reading::Open => return,
    };
    let content_type = expected.get("datacontenttype");
    let media_type = content_type.and_then(|(_, text)| grammar::media_type(text)?.ok());
    let body = received
        .body
        .filter(|body| !body.is_empty() || received.binding.has_null_body);
    let is_json = media_type.as_ref().is_some_and(grammar::is_json);
    let Some(event) = event else {
        assert!(
            is_json && body.is_some_and(|body| !is_data(body)),
            "{received:?}"
        );
        return;
    };
    assert_eq!(reference::attributes(event), expected, "{received:?}");
    match (event.data(), body) {
        (Data::None, None) => {}
        (Data::Json(json), Some(body)) => {
            assert!(is_json && is_data(body));
            assert_eq!(json.as_str().as_bytes(), body);
        }
        (Data::Binary(bytes), Some(body)) => assert!(!is_json && **bytes == *body),
        // In another charset than UTF-8 a character is a byte.
        (Data::Text(text), Some(body)) => {
            assert!(media_type.as_ref().is_some_and(grammar::is_text));
            assert!(
                text.as_bytes() == body
                    || text
                        .chars()
                        .map(u32::from)
                        .eq(body.iter().map(|&byte| u32::from(byte)))
            );
        }
        other => panic!("{other:?} of {received:?}"),
    }
}

/// Whether bytes are JSON that fits into an event.
pub(crate) fn is_data(bytes: &[u8]) -> bool {
    let is_json = serde_json::from_slice::<&serde_json::value::RawValue>(bytes).is_ok();
    str::from_utf8(bytes).is_ok() && is_json && depth(bytes) < DEPTH_MAX
}

/// The attributes of a message as a JSON event.
enum Twin {
    Text(String),
    /// No JSON event could hold them, and none should.
    Refused,
    /// Another rule than those of the other crates decides.
    Open,
}

fn twin(received: &Received<'_>) -> Twin {
    let binding = received.binding;
    let mut members = BTreeMap::new();
    if values(received, binding.content_type).len() > 1 {
        return Twin::Refused;
    }
    for &(header, value) in &received.headers {
        let is_content_type = is_named(binding, header, binding.data_content_type);
        let name = match attribute_name(binding, header) {
            _ if is_content_type => "datacontenttype".to_owned(),
            // Where another header carries it, this one is forbidden, unless it is null.
            Some(name) if name == "datacontenttype" => {
                return match value {
                    Some(_) => Twin::Refused,
                    None => Twin::Open,
                };
            }
            Some(name) if name.starts_with("data_") || name == "data" => return Twin::Open,
            Some(name) => name,
            None => continue,
        };
        let is_coded = binding.percent_coded && attribute_name(binding, header).is_some();
        let member = match value {
            None => Value::Null,
            Some(value) if is_coded && value.trim_ascii().starts_with(b"\"") => return Twin::Open,
            Some(value) => match spelled(value, is_coded, is_content_type) {
                Some(text) => Value::String(text),
                None => return Twin::Refused,
            },
        };
        if members.insert(name, member).is_some() {
            return Twin::Refused;
        }
    }
    // On NATS a content type may stand where HTTP has it, if nowhere else.
    let elsewhere = values(received, binding.content_type)
        .into_iter()
        .flatten()
        .next();
    if members.get("datacontenttype").is_none_or(Value::is_null)
        && binding.content_type != binding.data_content_type
        && let Some(value) = elsewhere
    {
        if members.contains_key("datacontenttype") {
            return Twin::Open;
        }
        // It is another's where it is no media type, or the data has not its form.
        let text = spelled(value, false, true).unwrap_or_default();
        let is_data = received
            .body
            .is_none_or(|body| body.is_empty() || is_data(body));
        match grammar::media_type(&text) {
            Some(Ok(media_type)) if is_data || !grammar::is_json(&media_type) => {
                members.insert("datacontenttype".into(), Value::String(text));
            }
            Some(_) => {}
            None => return Twin::Open,
        }
    }
    Twin::Text(serde_json::to_string(&members).expect("text and null"))
}

/// The text that a header value spells.
fn spelled(value: &[u8], is_coded: bool, is_trimmed: bool) -> Option<String> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = value
        .iter()
        .position(|byte| !is_space(byte))
        .unwrap_or(value.len());
    let end = value
        .iter()
        .rposition(|byte| !is_space(byte))
        .map_or(start, |last| last + 1);
    if is_coded {
        grammar::percent_decoded(&value[start..end])
    } else {
        let value = if is_trimmed {
            &value[start..end]
        } else {
            value
        };
        String::from_utf8(value.to_vec()).ok()
    }
}

/// A header that is blamed is there, up to the 64 characters that an error repeats.
fn assert_located(error: &DecodeError, received: &Received<'_>) {
    assert!(!error.to_string().is_empty());
    match &error.place {
        Place::Byte(at) => assert!(*at <= received.body.map_or(0, <[u8]>::len), "{error}"),
        Place::Header(name) => {
            let mut names = received.headers.iter().map(|(name, _)| name);
            assert!(names.any(|found| found.starts_with(&**name)), "{error}");
        }
        _ => {}
    }
}
