//! Headers as NATS can carry them, and the way back.
//!
//! A NATS header is a line of text: it holds no null value, no bytes that are not UTF-8, no line
//! break and no surrounding white space, and its name has no white space and no colon. Headers that
//! begin with `Nats-` are orders to the server and must not reach it from outside. What cannot or
//! may not go as it is goes into [`REWRITTEN`], percent-encoded like a form: `a=1&b=%FF&c`, where
//! `c` is null. All values of one name go the same way, so that they keep their order.
//!
//! A dead letter also takes along what a NATS message has no field for: [`KEY`] (percent-encoded),
//! [`TIMESTAMP`] (milliseconds since 1970) and [`NULL_BODY`].

use std::collections::HashSet;

use async_nats::header::{HeaderName, NATS_EXPECTED_STREAM, NATS_MESSAGE_ID};
use async_nats::{HeaderMap, HeaderValue};
use bytes::Bytes;
use cloudevents_nl_codec::{Header, HeaderList};
use percent_encoding::{AsciiSet, CONTROLS, PercentEncode, percent_decode, percent_encode};
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};

use crate::delivery::Received;
use crate::transport::Outgoing;

/// One header for all: some readers see only one value of a name.
const REWRITTEN: &str = "cenl-headers";
const KEY: &str = "cenl-key";
const TIMESTAMP: &str = "cenl-timestamp";
/// Its value says nothing.
const NULL_BODY: &str = "cenl-null-body";

/// Percent-encoded besides what is not ASCII.
const PERCENT_ENCODED: AsciiSet = CONTROLS.add(b' ').add(b'%').add(b'=').add(b'&').add(b'+');

/// For the headers that the sink itself adds.
const OWN_BYTES: usize = 160;

/// Whether a route may not forward a header of this name.
pub(super) fn is_reserved(name: &str) -> bool {
    let is_order = |beginning: &str| beginning.eq_ignore_ascii_case("nats-");
    let mut own = [REWRITTEN, KEY, TIMESTAMP, NULL_BODY].into_iter();
    name.get(..5).is_some_and(is_order) || own.any(|own| own.eq_ignore_ascii_case(name))
}

/// The header block without its first and last line. `stream` must take the message.
#[must_use]
pub fn header_lines(message: &Outgoing, stream: Option<&str>) -> String {
    let headers = &message.headers;
    let framing = headers.len() * ": \r\n".len();
    let mut lines = Vec::with_capacity(headers.byte_len() + framing + OWN_BYTES);
    if let Some(stream) = stream {
        push(&mut lines, NATS_EXPECTED_STREAM.as_ref(), stream.as_bytes());
    }
    if let Some(id) = message.message_id {
        let id = id.to_string();
        push(&mut lines, NATS_MESSAGE_ID.as_ref(), id.as_bytes());
    }
    let mut form = String::new();
    let rewritten = names_to_rewrite(headers);
    for header in headers.iter() {
        match header.value {
            Some(value) if !rewritten.contains(header.name) => push(&mut lines, header.name, value),
            value => {
                form.push('&');
                form.extend(percent_encoded(header.name.as_bytes()));
                if let Some(value) = value {
                    form.push('=');
                    form.extend(percent_encoded(value));
                }
            }
        }
    }
    if let Some(form) = form.strip_prefix('&') {
        push(&mut lines, REWRITTEN, form.as_bytes());
    }
    if message.received_as.is_some() {
        if let Some(key) = &message.key {
            push(&mut lines, KEY, percent_encoded(key).to_string().as_bytes());
        }
        if let Some(time) = message.timestamp_ms {
            push(&mut lines, TIMESTAMP, time.to_string().as_bytes());
        }
        if message.body.is_none() {
            push(&mut lines, NULL_BODY, b"1");
        }
    }
    String::from_utf8(lines).expect("values that are no text were percent-coded")
}

fn push(lines: &mut Vec<u8>, name: &str, value: &[u8]) {
    let before: &[u8] = if lines.is_empty() { b"" } else { b"\r\n" };
    for part in [before, name.as_bytes(), b": ", value] {
        lines.extend_from_slice(part);
    }
}

/// Everything behind the first name as its value, which the client writes as it stands: one value
/// for each name costs two allocations and three hashes a header.
pub(super) fn header_map(lines: &str) -> HeaderMap {
    let mut map = HeaderMap::new();
    if let Some((name, value)) = lines.split_once(": ") {
        let name: HeaderName = name.parse().expect("names were looked at");
        let value = HeaderValue::deserialize(StrDeserializer::<Error>::new(value));
        map.insert(name, value.expect("a header value is any text"));
    }
    map
}

pub(super) fn block_len(lines: &str) -> usize {
    "NATS/1.0\r\n".len() + lines.len() + "\r\n\r\n".len()
}

/// Undoes [`header_lines`]; a header that it did not write stays as it is.
#[must_use]
pub fn restore_dead_letter(mut received: Received) -> Received {
    let mut headers = HeaderList::default();
    for header in received.headers.iter() {
        let value = header.value.unwrap_or_default();
        let understood = match header.name {
            REWRITTEN => decode_form(value).map(|rewritten| {
                for (name, value) in rewritten {
                    headers.push(&name, value.as_deref());
                }
            }),
            KEY => percent_decoded(value).map(|key| received.key = Some(Bytes::from(key))),
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

/// Hardly ever any.
fn names_to_rewrite(headers: &HeaderList) -> HashSet<&str> {
    let is_fine = |header: &Header<'_>| {
        !is_reserved(header.name) && is_name(header.name) && header.value.is_some_and(is_text)
    };
    let others = headers.iter().filter(|header| !is_fine(header));
    others.map(|header| header.name).collect()
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b':')
}

fn is_text(value: &[u8]) -> bool {
    // Most have no control character: to look at all bytes costs less than to stop at one.
    let has_control = value
        .iter()
        .fold(false, |found, byte| found | byte.is_ascii_control());
    let text = str::from_utf8(value);
    !has_control && text.is_ok_and(|text| text.trim().len() == text.len())
}

/// Nothing where it is no form of ours.
fn decode_form(form: &[u8]) -> Option<Vec<(String, Option<Vec<u8>>)>> {
    let entries = form.split(|&byte| byte == b'&');
    let header = |entry: &[u8]| {
        let mut parts = entry.splitn(2, |&byte| byte == b'=');
        let name = String::from_utf8(percent_decoded(parts.next()?)?).ok()?;
        match parts.next() {
            None => Some((name, None)),
            Some(value) => Some((name, Some(percent_decoded(value)?))),
        }
    };
    entries.map(header).collect()
}

fn percent_encoded(bytes: &[u8]) -> PercentEncode<'_> {
    percent_encode(bytes, &PERCENT_ENCODED)
}

fn percent_decoded(text: &[u8]) -> Option<Vec<u8>> {
    let bytes: Vec<u8> = percent_decode(text).collect();
    let is_ours = percent_encoded(&bytes)
        .flat_map(str::bytes)
        .eq(text.iter().copied());
    is_ours.then_some(bytes)
}

#[cfg(test)]
mod tests;
