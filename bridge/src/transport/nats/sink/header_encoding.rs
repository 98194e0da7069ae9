//! Pure: headers as NATS can carry them, and the way back.
//!
//! A NATS header is a line of text, so it cannot hold a null value, bytes that are no UTF-8, a line
//! break or surrounding white space, and the name has no white space and no colon. Headers that
//! begin with `Nats-` are orders to the server: one that was only received must never reach it as
//! such. What cannot or may not go as it is goes into the one header [`REWRITTEN`], percent-coded like
//! a form: `a=1&b=%FF&c`, where `c` is null. All values of one name go the same way, so that they keep
//! their order; among different names NATS clients keep none.
//!
//! A dead letter also takes along what a NATS message has no place for: [`KEY`] (percent-coded),
//! [`TIMESTAMP`] (milliseconds since 1970) and [`NULL_BODY`]. [`restore_dead_letter`] undoes it all.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use async_nats::header::{HeaderName, NATS_EXPECTED_STREAM, NATS_MESSAGE_ID};
use async_nats::{HeaderMap, HeaderValue};
use bytes::Bytes;
use cloudevents_nl_codec::{Header, HeaderList};

use crate::delivery::Received;
use crate::transport::Outgoing;

/// Holds the headers that NATS cannot carry, or must not see. One header holds them all: some readers
/// see only one value of a name.
const REWRITTEN: &str = "cenl-headers";
/// The record key of a dead letter.
const KEY: &str = "cenl-key";
/// The record timestamp of a dead letter.
const TIMESTAMP: &str = "cenl-timestamp";
/// There when the body of a dead letter was Kafka's null; its value says nothing.
const NULL_BODY: &str = "cenl-null-body";

/// Most names that are kept parsed; senders choose names.
const MOST_NAMES: usize = 256;

/// Whether a header of this name, in lower case, is not one that a route may forward.
pub(super) fn is_reserved(name: &str) -> bool {
    name.starts_with("nats-") || [REWRITTEN, KEY, TIMESTAMP, NULL_BODY].contains(&name)
}

/// Writes the headers of messages; keeps the names that it has parsed.
#[derive(Debug, Default)]
pub struct HeaderEncoding(RefCell<HashMap<Box<str>, HeaderName>>);

impl HeaderEncoding {
    /// The headers of a message. `stream` is the one that must take it.
    #[must_use]
    pub fn headers(&self, message: &Outgoing, stream: Option<&str>) -> HeaderMap {
        let mut map = HeaderMap::new();
        let mut form: Option<String> = None;
        let rewritten = names_to_rewrite(&message.headers);
        for header in message.headers.iter() {
            let plain = header
                .value
                .filter(|_| !rewritten.contains(header.name))
                .and_then(|value| Some((self.name(header.name)?, plain(value)?)));
            match plain {
                Some((name, value)) => map.append(name, value),
                None => rewrite(&mut form, header.name, header.value),
            }
        }
        if let Some(form) = form.and_then(value) {
            map.append(own(REWRITTEN), form);
        }
        if message.received_as.is_some() {
            if let Some(key) = &message.key {
                map.append(own(KEY), coded(key));
            }
            if let Some(time) = message.timestamp_ms {
                map.append(own(TIMESTAMP), HeaderValue::from(time));
            }
            if message.body.is_none() {
                map.append(own(NULL_BODY), HeaderValue::from(1_i32));
            }
        }
        if let Some(id) = message.message_id.and_then(|id| value(id.to_string())) {
            map.insert(NATS_MESSAGE_ID, id);
        }
        if let Some(stream) = stream.and_then(|stream| value(stream.to_owned())) {
            map.insert(NATS_EXPECTED_STREAM, stream);
        }
        map
    }

    fn name(&self, name: &str) -> Option<HeaderName> {
        if let Some(parsed) = self.0.borrow().get(name) {
            return Some(parsed.clone());
        }
        let parsed: HeaderName = name.parse().ok()?;
        let mut names = self.0.borrow_mut();
        if names.len() < MOST_NAMES {
            names.insert(name.into(), parsed.clone());
        }
        Some(parsed)
    }
}

/// Undoes on a dead letter what `HeaderEncoding::headers` did to the message; a header that is not as
/// it writes them stays as it is.
#[must_use]
pub fn restore_dead_letter(mut received: Received) -> Received {
    let mut headers = HeaderList::default();
    for header in received.headers.iter() {
        let value = header.value.unwrap_or_default();
        let understood = match header.name {
            REWRITTEN => unwrite(value).map(|rewritten| {
                for (name, value) in rewritten {
                    headers.push(&name, value.as_deref());
                }
            }),
            KEY => decoded(value).map(|key| received.key = Some(Bytes::from(key))),
            TIMESTAMP => str::from_utf8(value)
                .ok()
                .and_then(|time| time.parse().ok())
                .map(|time| received.timestamp_ms = Some(time)),
            NULL_BODY => {
                received.body = None;
                Some(())
            }
            _ => None,
        };
        if understood.is_none() {
            headers.push(header.name, header.value);
        }
    }
    received.headers = headers;
    received
}

/// Names that have a value which cannot go as it is. There are hardly ever any.
fn names_to_rewrite(headers: &HeaderList) -> HashSet<&str> {
    let is_fine = |header: &Header<'_>| {
        !is_reserved_in_any_case(header.name)
            && is_name(header.name)
            && header.value.and_then(text).is_some()
    };
    let others = headers.iter().filter(|header| !is_fine(header));
    others.map(|header| header.name).collect()
}

fn is_reserved_in_any_case(name: &str) -> bool {
    let begins = |own: &str| {
        let beginning = name.as_bytes().get(..own.len());
        beginning.is_some_and(|beginning| beginning.eq_ignore_ascii_case(own.as_bytes()))
    };
    (begins("nats-") || begins("cenl-")) && is_reserved(&name.to_ascii_lowercase())
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b':')
}

/// The value as a text that arrives as it was sent.
fn text(value: &[u8]) -> Option<&str> {
    let text = str::from_utf8(value).ok()?;
    let arrives = text.trim().len() == text.len() && !text.bytes().any(|b| b.is_ascii_control());
    arrives.then_some(text)
}

fn plain(bytes: &[u8]) -> Option<HeaderValue> {
    text(bytes)?.parse().ok()
}

fn value(text: String) -> Option<HeaderValue> {
    text.parse().ok()
}

fn own(name: &'static str) -> HeaderName {
    HeaderName::from_static(name)
}

/// Adds a header to the form.
fn rewrite(form: &mut Option<String>, name: &str, value: Option<&[u8]>) {
    let text = match form {
        None => form.insert(String::new()),
        Some(text) => {
            text.push('&');
            text
        }
    };
    code(name.as_bytes(), text);
    if let Some(value) = value {
        text.push('=');
        code(value, text);
    }
}

/// The headers of a form; nothing when it is none of ours.
fn unwrite(form: &[u8]) -> Option<Vec<(String, Option<Vec<u8>>)>> {
    let entries = form.split(|&byte| byte == b'&');
    let header = |entry: &[u8]| {
        let mut parts = entry.splitn(2, |&byte| byte == b'=');
        let name = String::from_utf8(decoded(parts.next()?)?).ok()?;
        match parts.next() {
            None => Some((name, None)),
            Some(value) => Some((name, Some(decoded(value)?))),
        }
    };
    entries.map(header).collect()
}

fn coded(bytes: &[u8]) -> HeaderValue {
    let mut text = String::new();
    code(bytes, &mut text);
    text.parse().expect("coded text has no line break")
}

/// Appends `bytes` as in a form: everything percent-coded but visible ASCII, and of that all that
/// means something there.
fn code(bytes: &[u8], text: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        if byte.is_ascii_graphic() && !matches!(byte, b'%' | b'=' | b'&' | b'+') {
            text.push(char::from(byte));
        } else {
            let digit = |half: u8| char::from(DIGITS[usize::from(half)]);
            text.extend(['%', digit(byte >> 4), digit(byte & 15)]);
        }
    }
}

fn decoded(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(&byte) = rest.next() {
        bytes.push(match byte {
            b'%' => u8::try_from(digit(rest.next()?)? << 4 | digit(rest.next()?)?).ok()?,
            byte => byte,
        });
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
