//! Messages as a stream keeps them, each requested by its sequence. The client ends its connection
//! on a subject or header block that it cannot read, or ends itself on a line break in a header value;
//! as JSON the same message can always be read.

use std::str::FromStr;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{Context, RequestErrorKind};
use async_nats::jetstream::response::Response;
use async_nats::jetstream::stream::RawMessage;
use async_nats::{HeaderName, StatusCode};
use base64_simd::STANDARD;
use bytes::Bytes;
use cloudevents_nl_codec::{HeaderList, NATS};
use serde::Deserialize;
use serde_json::json;

use super::message;
use crate::delivery::{Position, Received};

const HEADERS: &str = "headers-unreadable";

/// As `$JS.API.STREAM.MSG.GET` answers it.
#[derive(Debug, Deserialize)]
pub(super) struct StoredMessage {
    message: RawMessage,
}

/// Why a message was not told.
#[derive(Debug, thiserror::Error)]
pub(super) enum StoredError {
    #[error("there is no such stream")]
    NoStream,
    #[error("{0}")]
    Failed(String),
}

/// The first message at `sequence` or behind it that comes through one of the filters, or any where
/// there is none.
///
/// A message found by one filter may have come after another had found nothing, and behind
/// something that the other would find now: so that one is asked again.
pub(super) async fn first_from(
    context: &Context,
    stream: &str,
    filters: &[String],
    sequence: u64,
) -> Result<Option<StoredMessage>, StoredError> {
    let request = async |filter: &str| {
        let payload = json!({ "seq": sequence, "next_by_subj": filter });
        let response = context.request(format!("STREAM.MSG.GET.{stream}"), &payload);
        match response.await {
            Ok(Response::<StoredMessage>::Ok(stored)) => Ok(Some(stored)),
            Ok(Response::Err { error }) => match error.error_code() {
                ErrorCode::NO_MESSAGE_FOUND => Ok(None),
                ErrorCode::STREAM_NOT_FOUND => Err(StoredError::NoStream),
                _ => Err(StoredError::Failed(error.to_string())),
            },
            Err(error) => Err(StoredError::Failed(match error.kind() {
                RequestErrorKind::TimedOut => "no answer in time".to_owned(),
                RequestErrorKind::NoResponders => "jetstream does not answer".to_owned(),
                _ => error.to_string(),
            })),
        }
    };
    match filters {
        [] => request(">").await,
        filters => first(filters, request).await,
    }
}

async fn first(
    filters: &[String],
    request: impl AsyncFn(&str) -> Result<Option<StoredMessage>, StoredError>,
) -> Result<Option<StoredMessage>, StoredError> {
    let (mut found, mut empty) = (Vec::new(), Vec::new());
    for filter in filters {
        match request(filter).await? {
            Some(message) => found.push(message),
            None => empty.push(filter),
        }
    }
    if !found.is_empty() {
        for filter in empty {
            found.extend(request(filter).await?);
        }
    }
    Ok(found.into_iter().min_by_key(StoredMessage::sequence))
}

impl StoredMessage {
    pub(super) fn sequence(&self) -> u64 {
        self.message.sequence
    }

    pub(super) fn byte_len(&self) -> usize {
        let headers = self.message.headers.as_ref().map_or(0, String::len);
        headers + self.message.payload.len()
    }

    pub(super) fn has_body(&self) -> bool {
        !self.message.payload.is_empty()
    }

    pub(super) fn time_ms(&self) -> i64 {
        self.published() / 1_000_000
    }

    /// In nanoseconds since 1970.
    pub(super) fn published(&self) -> i64 {
        let nanoseconds = self.message.time.unix_timestamp_nanos();
        i64::try_from(nanoseconds).unwrap_or_default()
    }

    pub(super) fn is_readable(&self) -> bool {
        // What is not UTF-8 becomes this character in JSON.
        let is_unreadable = |c: char| c.is_whitespace() || c == char::REPLACEMENT_CHARACTER;
        !self.message.subject.contains(is_unreadable)
            && (self.message.headers.is_none() || is_readable(&self.headers()))
    }

    fn headers(&self) -> Vec<u8> {
        let coded = self.message.headers.as_deref().unwrap_or_default();
        STANDARD.decode_to_vec(coded).unwrap_or_default()
    }

    /// With the headers that are text; with a defect if the client could not read all of them.
    pub(super) fn received(&self, stream: &str) -> Received {
        let mut headers = HeaderList::default();
        let block = self.headers();
        let mut lines = block.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
        lines.next();
        for line in lines {
            let mut parts = line.splitn(2, |&byte| byte == b':');
            if let (Some(name), Some(value)) = (parts.next(), parts.next())
                && let Ok(name) = std::str::from_utf8(name)
                && HeaderName::from_str(name).is_ok()
            {
                headers.push(name, Some(value.trim_ascii()));
            }
        }
        let body = STANDARD.decode_to_vec(&self.message.payload);
        Received {
            binding: &NATS,
            headers,
            key: None,
            body: Some(Bytes::from(body.unwrap_or_default())),
            timestamp_ms: None,
            position: Position::numbered(message::position_prefix(stream), self.sequence()),
            defect: (!self.is_readable()).then_some(HEADERS),
        }
    }
}

/// As the connection of the client reads it, step by step.
fn is_readable(block: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(block) else {
        return false;
    };
    let mut lines = text.lines().peekable();
    let Some(version) = lines.next().and_then(|line| line.strip_prefix("NATS/1.0")) else {
        return false;
    };
    let status = version.trim().split(' ').next().unwrap_or_default().trim();
    if !status.is_empty() && StatusCode::from_str(status).is_err() {
        return false;
    }
    while let Some(line) = lines.next() {
        if line.is_empty() {
            continue;
        }
        let Some((name, value)) = line.split_once(':') else {
            return false;
        };
        let mut value = value.trim_start().to_owned();
        while let Some(more) = lines.next_if(|line| line.starts_with(char::is_whitespace)) {
            value.push_str(more);
        }
        // The client panics on a line break in a value.
        if HeaderName::from_str(name).is_err() || value.trim_end().contains('\r') {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::cell::RefCell;

    use serde_json::Value;

    use super::*;

    fn stored(sequence: u64, subject: &str, headers: Option<&[u8]>, data: &[u8]) -> StoredMessage {
        let headers = headers.map(|block| STANDARD.encode_to_string(block));
        let message = json!({
            "subject": subject,
            "seq": sequence,
            "time": "2026-01-31T12:00:00.5Z",
            "hdrs": headers.map_or(Value::Null, Value::String),
            "data": STANDARD.encode_to_string(data),
        });
        serde_json::from_value(json!({ "message": message })).unwrap()
    }

    #[test]
    fn what_ends_a_connection_is_told_from_what_does_not() {
        for (block, expected) in [
            (&b"NATS/1.0\r\n\r\n"[..], true),
            (b"NATS/1.0\r\nce-id: 1\r\nx:\r\n\r\n", true),
            (b"NATS/1.0\r\nce-id: 1\r\n folded\r\n\r\n", true),
            (b"NATS/1.0 503 No Responders\r\n\r\n", true),
            (b"NATS/1.0\r\nce-id: \xff\r\n\r\n", false),
            (b"NATS/1.0\r\nno colon\r\n\r\n", false),
            (b"NATS/1.0\r\nna me: x\r\n\r\n", false),
            (b"NATS/1.0\r\n leading: x\r\n\r\n", false),
            (b"NATS/1.0\r\n: an empty name is taken\r\n\r\n", true),
            (b"NATS/1.0 later\r\n\r\n", false),
            (b"NATS/1.0\r\nx: a\rb\r\n\r\n", false),
            (b"NATS/1.0\r\nx: a\r\r\n b\r\n\r\n", false),
            (b"NATS/1.0\r\nx: a\r\n b\r\r\n c\r\n\r\n", false),
            (b"NATS/1.0\r\nx: a\r\n\x0bb\r\n\r\n", true),
            (b"NATS/1.0\r\nx: a\r\n\r\r\n\r\n", true),
            (b"HTTP/1.1\r\n\r\n", false),
            (b"", false),
        ] {
            let is_readable = stored(1, "a", Some(block), b"").is_readable();
            assert_eq!(is_readable, expected, "{}", block.escape_ascii());
        }
    }

    #[test]
    fn what_can_be_read_is_kept() {
        let block = b"NATS/1.0\r\nce-id: 1\r\nce-type: \xff\xfe\r\nbroken\r\n\xff: x\r\n\r\n";
        let raw = stored(9, "a", Some(block), b"\x00body");
        assert!(!raw.is_readable());
        assert_eq!(raw.time_ms(), 1_769_860_800_500);
        let received = raw.received("S");
        assert_eq!(received.body.as_deref(), Some(&b"\x00body"[..]));
        assert_eq!(received.position.to_string(), "nats:S/9");
        assert_eq!(received.defect, Some(HEADERS));
        let mut headers = HeaderList::default();
        headers.push("ce-id", Some(b"1"));
        headers.push("ce-type", Some(b"\xff\xfe"));
        assert_eq!(received.headers, headers);
    }

    #[test]
    fn a_message_without_headers_or_body_is_one() {
        let raw = stored(1, "a", None, b"");
        assert!(raw.is_readable());
        assert_eq!(raw.received("S").body, Some(Bytes::new()));
    }

    #[test]
    fn a_subject_that_ends_a_connection_is_told_from_one_that_does_not() {
        for (subject, expected) in [
            ("a.b", true),
            ("a.\u{e9}", true),
            ("a.\u{fffd}", false),
            ("a.\u{a0}", false),
            ("a.\u{2028}b", false),
        ] {
            let raw = stored(1, subject, None, b"");
            assert_eq!(raw.is_readable(), expected, "{subject:?}");
        }
    }

    #[tokio::test]
    async fn a_filter_that_found_nothing_is_asked_again_when_another_found_something() {
        // While the first filter is told that there is nothing, messages come for both.
        let asked = RefCell::new(Vec::new());
        let ask = async |filter: &str| {
            asked.borrow_mut().push(filter.to_owned());
            Ok(match (filter, asked.borrow().len()) {
                ("a", 1) => None,
                ("a", _) => Some(stored(7, "s", None, b"")),
                _ => Some(stored(8, "s", None, b"")),
            })
        };
        let filters = ["a".to_owned(), "b".to_owned()];
        let found = first(&filters, ask).await.unwrap().unwrap();
        assert_eq!(found.sequence(), 7);
        assert_eq!(*asked.borrow(), ["a", "b", "a"]);
    }
}
