//! Examples, written as compactly as they can be read.

use crate::capture::{Capture, Exchange, Header, Protocol, Purpose};
use crate::json;

/// A message that shows a rule met or broken.
///
/// Headers are written as lines `name: value`, in which `\xHH` is a byte; after an empty line comes
/// the body, and without one there is none. A line `-name` takes away a header that would be there.
#[derive(Clone, Copy, Debug)]
pub enum Example {
    /// There is none: no message can break the rule.
    None,
    /// The usual event with these members, which replace those of the same name:
    /// `"subject":"","time":null`.
    Event(&'static str),
    /// The whole text of an event.
    Text(&'static [u8]),
    /// The whole text of a batch.
    Batch(&'static str),
    /// A message of a protocol: headers and body. In binary mode those of the usual event that are
    /// not named are added; a content type that begins with `application/cloudevents`, or a first
    /// line `=`, says that nothing is to be added.
    Message(Protocol, &'static str),
    /// A webhook handshake: the request line and headers, `→`, the status line and headers.
    Validation(&'static str),
    /// A webhook delivery, written likewise; the usual event is the body where none is written. A
    /// handshake has agreed on the origin that it names; `-WebHook-Request-Origin` takes away the
    /// header, and leaves the handshake.
    Delivery(&'static str),
    /// The usual event with text of so many bytes as its data.
    Large(usize),
    /// The usual event several times, each with these members.
    Stream(&'static [&'static str]),
}

/// An example made into what a checker takes.
#[derive(Clone, Debug)]
pub enum Sample {
    /// A message.
    Message(Box<Capture>),
    /// An exchange.
    Exchange(Box<Exchange>),
    /// Messages in order.
    Stream(Vec<Capture>),
}

const USUAL: [(&str, &str); 4] = [
    ("specversion", "1.0"),
    ("id", "doc2021033441"),
    (
        "source",
        "urn:nld:oin:00000001823288444000:systeem:BRP-component",
    ),
    ("type", "nl.brp.persoon-verhuisd"),
];

const USUAL_ORIGIN: &str = "eventemitter.example.com";

impl Example {
    /// What a checker takes; `None` where there is no example.
    #[must_use]
    pub fn sample(&self) -> Option<Sample> {
        let single = |capture| Sample::Message(Box::new(capture));
        Some(match *self {
            Self::None => return None,
            Self::Event(members) => single(Capture::event(usual_with(members))),
            Self::Text(text) => single(Capture::event(text)),
            Self::Batch(text) => single(Capture::batch(text)),
            Self::Message(protocol, text) => single(message(protocol, text)),
            Self::Large(bytes) => {
                let data = format!("\"data\":\"{}\"", "a".repeat(bytes));
                single(Capture::event(usual_with(&data)))
            }
            Self::Validation(text) => {
                Sample::Exchange(Box::new(exchange(Purpose::Validation, text)))
            }
            Self::Delivery(text) => Sample::Exchange(Box::new(exchange(Purpose::Delivery, text))),
            Self::Stream(events) => {
                let event = |members: &&str| Capture::event(usual_with(members));
                Sample::Stream(events.iter().map(event).collect())
            }
        })
    }
}

/// The text of the usual event, with members added or replaced.
fn usual_with(members: &str) -> String {
    let given = format!("{{{members}}}");
    let given = match json::parse(given.as_bytes()) {
        Ok(json::Document::Object(members)) => members,
        _ => Vec::new(),
    };
    let is_given = |name: &str| given.iter().any(|member| member.name.text == name);
    let kept = USUAL.into_iter().filter(|(name, _)| !is_given(name));
    let kept = kept.map(|(name, value)| format!("\"{name}\":\"{value}\""));
    let mut all: Vec<_> = kept.collect();
    if !members.is_empty() {
        all.push(members.to_owned());
    }
    format!("{{{}}}", all.join(","))
}

fn message(protocol: Protocol, text: &str) -> Capture {
    let (is_whole, text) = match text.strip_prefix("=\n") {
        Some(rest) => (true, rest),
        None => (text == "=", text.strip_prefix('=').unwrap_or(text)),
    };
    let (headers, removed, body) = headers_and_body(text);
    let mut capture = Capture::new(protocol);
    let announces = |header: &Header| {
        let value = header.value.as_deref().unwrap_or_default();
        let value = value.to_ascii_lowercase();
        header.name.eq_ignore_ascii_case("content-type")
            && value.starts_with(b"application/cloudevents")
    };
    if !is_whole && !headers.iter().any(announces) {
        for (name, value) in USUAL {
            let name = format!("{}{name}", protocol.prefix());
            let is_same = |header: &Header| protocol.is_same_name(&header.name, &name);
            if !headers.iter().any(is_same) && !removed.contains(&&*name) {
                capture = capture.with_header(&name, value);
            }
        }
    }
    capture.headers.extend(headers);
    // Only Kafka can tell no body from an empty one.
    capture.body = body.or_else(|| (protocol != Protocol::Kafka).then(Vec::new));
    capture
}

fn headers_and_body(text: &str) -> (Vec<Header>, Vec<&str>, Option<Vec<u8>>) {
    let parts = text.split_once("\n\n");
    let parts = parts.or_else(|| Some(("", text.strip_prefix('\n')?)));
    let (head, body) = parts.map_or((text, None), |(head, body)| (head, Some(bytes(body))));
    let (mut headers, mut removed) = (Vec::new(), Vec::new());
    for line in head.lines() {
        if let Some(name) = line.strip_prefix('-') {
            removed.push(name);
            continue;
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        let (name, value) = (name.to_owned(), Some(bytes(value)));
        headers.push(Header { name, value });
    }
    (headers, removed, body)
}

/// The bytes of a text in which `\xHH` is one byte.
fn bytes(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2).unwrap_or_default();
        match u8::from_str_radix(digits, 16) {
            Ok(byte) => {
                bytes.push(byte);
                bytes.extend_from_slice(rest.as_bytes());
            }
            Err(_) => bytes.extend_from_slice(format!("\\x{part}").as_bytes()),
        }
    }
    bytes
}

fn exchange(purpose: Purpose, text: &str) -> Exchange {
    let (request, response) = text.split_once("→").unwrap_or((text, "200"));
    let request = request.strip_suffix('\n').unwrap_or(request);
    let (line, rest) = request.split_once('\n').unwrap_or((request, ""));
    let (headers, removed, body) = headers_and_body(rest);
    let (method, target) = line.split_once(' ').unwrap_or((line, ""));
    let usual = || (purpose == Purpose::Delivery).then(|| usual_with("").into_bytes());
    let request = Capture {
        headers,
        body: body.or_else(usual).or(Some(Vec::new())),
        method: Some(method.to_owned()),
        target: Some(target.to_owned()),
        ..Capture::new(Protocol::Http)
    };
    let response = response.trim_start();
    let (line, rest) = response.split_once('\n').unwrap_or((response, ""));
    let (headers, _, body) = headers_and_body(rest);
    let response = Capture {
        headers,
        body: body.or(Some(Vec::new())),
        status: line.trim().parse().ok(),
        ..Capture::new(Protocol::Http)
    };
    let is_taken_away = removed.contains(&"WebHook-Request-Origin");
    let usual = is_taken_away.then_some(USUAL_ORIGIN);
    let origin = request.header("webhook-request-origin").or(usual);
    let origin = origin.map(str::to_owned);
    Exchange {
        handshake_origin: origin.filter(|_| purpose == Purpose::Delivery),
        ..Exchange::new(purpose, request, response)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_the_usual_one_with_changes() {
        let text = usual_with(r#""id":null,"subject":"a""#);
        assert!(
            text.starts_with(r#"{"specversion":"1.0","source":"#),
            "{text}"
        );
        assert!(text.ends_with(r#","id":null,"subject":"a"}"#), "{text}");
    }

    #[test]
    fn a_message_is_lines() {
        let capture = message(Protocol::Kafka, "ce_id: \\xFF\n-ce_type\n\na\nb");
        let names: Vec<_> = capture.headers.iter().map(|header| &*header.name).collect();
        assert_eq!(names, ["ce_specversion", "ce_source", "ce_id"]);
        assert_eq!(capture.headers[2].value.as_deref(), Some(&b"\xFF"[..]));
        assert_eq!(capture.body(), b"a\nb");
        assert_eq!(message(Protocol::Kafka, "=").headers, []);
        assert_eq!(message(Protocol::Kafka, "ce_a: b").body, None);
        assert_eq!(message(Protocol::Nats, "=\n\n{}").body(), b"{}");
        let structured = message(
            Protocol::Http,
            "Content-Type: application/cloudevents+json\n\n{}",
        );
        assert_eq!(structured.headers.len(), 1);
    }

    #[test]
    fn an_exchange_is_a_request_an_arrow_and_a_response() {
        let exchange = exchange(
            Purpose::Delivery,
            "POST https://a.example/\nContent-Type: application/cloudevents+json\n→ 204",
        );
        assert_eq!(
            exchange.request.target.as_deref(),
            Some("https://a.example/")
        );
        assert!(exchange.request.body().starts_with(b"{"));
        assert_eq!(
            (exchange.response.status, exchange.response.body()),
            (Some(204), &b""[..])
        );
    }
}
