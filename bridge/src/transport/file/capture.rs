//! A message of a protocol as one line of JSON, a capture, which the checker reads too:
//! `{"protocol":"kafka","headers":[["ce_id","1"]],"body_base64":"e30="}`.

use bytes::Bytes;
use cloudevents_nl_codec::{Binding, HTTP, HeaderList, KAFKA, NATS};
use cloudevents_nl_conformance::{Capture, Header, Protocol};
use jiff::Timestamp;
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::delivery::{Position, Received};

/// The defect of a message that could not be read whole when its line was written.
pub(crate) const CUT: &str = "captured-in-part";

pub(crate) fn is_meant(text: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Members {
        specversion: Option<IgnoredAny>,
        protocol: Option<IgnoredAny>,
        headers: Option<IgnoredAny>,
    }
    serde_json::from_slice::<Members>(text).is_ok_and(|members| {
        members.specversion.is_none() && (members.protocol.is_some() || members.headers.is_some())
    })
}

pub(crate) fn binding(protocol: &str) -> Option<&'static Binding> {
    let mut bindings = [&KAFKA, &HTTP, &NATS].into_iter();
    bindings.find(|binding| binding.protocol == protocol)
}

/// The error never holds a piece of the line.
pub(crate) fn read(text: &[u8], position: Position) -> Result<Received, String> {
    let capture = Capture::read(text).map_err(|error| error.to_string())?;
    let mut headers = HeaderList::default();
    for Header { name, value } in &capture.headers {
        headers.push(name, value.as_deref());
    }
    let time = capture.timestamp.map(|text| text.parse::<Timestamp>());
    let what = "the timestamp is not one of RFC 3339";
    let time = time.transpose().map_err(|_| what)?;
    Ok(Received {
        binding: binding(capture.protocol.name()).unwrap_or(&KAFKA),
        headers,
        key: capture.key.map(Bytes::from),
        body: capture.body.map(Bytes::from),
        timestamp_ms: time.map(Timestamp::as_millisecond),
        position,
        defect: capture.defect.map(|_| CUT),
    })
}

/// A position without a place is left out.
pub(crate) fn line(message: &Received) -> Vec<u8> {
    let mut protocols = [Protocol::Nats, Protocol::Http].into_iter();
    let protocol = protocols.find(|it| it.name() == message.binding.protocol);
    let mut capture = Capture::new(protocol.unwrap_or(Protocol::Kafka));
    let headers = message.headers.iter().map(|header| Header {
        name: header.name.to_owned(),
        value: header.value.map(<[u8]>::to_vec),
    });
    capture.headers = headers.collect();
    capture.key = message.key.as_deref().map(<[u8]>::to_vec);
    capture.body = message.body.as_deref().map(<[u8]>::to_vec);
    // A time that no calendar knows is left out.
    let time = message.timestamp_ms.map(Timestamp::from_millisecond);
    capture.timestamp = time.and_then(Result::ok).map(|time| time.to_string());
    let has_place = !message.position.place.is_empty();
    capture.position = has_place.then(|| message.position.to_string());
    capture.defect = message.defect.map(str::to_owned);
    (capture.to_line() + "\n").into_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn read(text: &[u8]) -> Result<Received, String> {
        let position = Position::numbered("file:letters:", 1);
        super::read(text, position)
    }

    #[test]
    fn keeps_null_values_and_tells_no_body_from_an_empty_one() {
        let read = |text: &str| read(text.as_bytes()).unwrap();
        let kafka = read(r#"{"protocol":"kafka","headers":[["a",null],["a","é"]]}"#);
        let mut expected = HeaderList::default();
        expected.push("a", None);
        expected.push("a", Some("é".as_bytes()));
        assert_eq!(kafka.headers, expected);
        assert_eq!(kafka.body, None);
        assert_eq!(
            read(r#"{"protocol":"kafka","headers":[],"body_base64":""}"#).body,
            Some(Bytes::new())
        );
        assert_eq!(
            read(r#"{"protocol":"nats","headers":[]}"#).body,
            Some(Bytes::new())
        );
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut headers = HeaderList::default();
        headers.push("a", Some(b"\xff\x00"));
        headers.push("a", None);
        headers.push("b", Some("é\n".as_bytes()));
        let mut message = Received {
            binding: &KAFKA,
            headers,
            body: Some(Bytes::from_static(b"\xfe")),
            key: Some(Bytes::new()),
            timestamp_ms: Some(1_763_730_000_123),
            position: Position::numbered("kafka:zaken/0/", 7),
            defect: None,
        };
        let text = line(&message);
        let position = br#""position":"kafka:zaken/0/7""#;
        assert!(text.windows(position.len()).any(|part| part == position));
        assert_eq!(text.iter().filter(|byte| **byte == b'\n').count(), 1);
        let received = read(&text).unwrap();
        assert_eq!(received.binding.protocol, "kafka");
        assert_eq!(received.headers, message.headers);
        assert_eq!(received.body, message.body);
        assert_eq!(received.key, message.key);
        assert_eq!(received.timestamp_ms, message.timestamp_ms);
        assert_eq!(received.defect, None);
        message.defect = Some("header-name-not-utf8");
        assert_eq!(read(&line(&message)).unwrap().defect, Some(CUT));
    }

    #[test]
    fn says_what_is_wrong_without_repeating_it() {
        for (text, expected) in [
            (r#"{"protocol":"hush","headers":[]}"#, "line 1, column 18"),
            (
                r#"{"protocol":"http","headers":[["a",{"base64":"hush*"}]]}"#,
                "the header is not base64",
            ),
            (
                r#"{"protocol":"kafka","headers":[],"timestamp":"hush"}"#,
                "RFC 3339",
            ),
            (r#"{"protocol":"http","headers":[["hush","#, "not JSON"),
        ] {
            let error = read(text.as_bytes()).unwrap_err();
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains("hush"));
        }
    }

    #[test]
    fn an_event_is_no_capture() {
        for (text, expected) in [
            (r#"{"specversion":"1.0","protocol":"x"}"#, false),
            (r#"{"protocol":"kafka"}"#, true),
            (r#"{"headers":[]}"#, true),
            (r#"{"id":"1"}"#, false),
            ("[]", false),
            ("{", false),
        ] {
            assert_eq!(is_meant(text.as_bytes()), expected, "{text}");
        }
    }
}
