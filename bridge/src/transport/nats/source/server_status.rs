//! Pure: what a server says instead of a message.

use async_nats::Message;

use super::super::message::MessageInfo;

pub(super) const PIN_LOST: &str = "another process may read";

/// See the module.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ServerStatus {
    Heartbeat,
    /// A pull request ended with so many events and bytes unused.
    PullEnded {
        events: usize,
        bytes: usize,
        was_too_small: bool,
    },
    /// The session cannot go on: the pin is another's, the consumer is gone, or something passes.
    SessionEnded(String),
}

impl ServerStatus {
    /// Reads the status of a message that has one. Some servers hand a stored message out with the
    /// status that somebody published: what has a sequence is not the word of the server.
    pub(super) fn of(message: &Message) -> Option<Self> {
        let code = message.status?.as_u16();
        let is_stored = |reply: &async_nats::Subject| MessageInfo::of(reply).is_some();
        if message.reply.as_ref().is_some_and(is_stored) {
            return None;
        }
        let said = message.description.as_deref().unwrap_or_default();
        let unused = |name: &str| {
            let headers = message.headers.as_ref();
            let value = headers.and_then(|headers| headers.get(name));
            value
                .and_then(|value| value.as_str().parse().ok())
                .unwrap_or(0)
        };
        let ended = |was_too_small| Self::PullEnded {
            events: unused("Nats-Pending-Messages"),
            bytes: unused("Nats-Pending-Bytes"),
            was_too_small,
        };
        Some(match (code, said) {
            (100, _) => Self::Heartbeat,
            (404 | 408, _) | (409, "Batch Completed") => ended(false),
            (409, "Message Size Exceeds MaxBytes") => ended(true),
            (423, _) => Self::SessionEnded(PIN_LOST.to_owned()),
            (503, _) => Self::SessionEnded("jetstream does not answer".to_owned()),
            (code, said) => Self::SessionEnded(format!("{code} {said}")),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use async_nats::{HeaderMap, StatusCode};
    use bytes::Bytes;

    use super::*;

    fn message(code: u16, said: &str, unused: Option<(&str, &str)>) -> Message {
        let mut headers = HeaderMap::new();
        if let Some((events, bytes)) = unused {
            headers.insert("Nats-Pending-Messages", events);
            headers.insert("Nats-Pending-Bytes", bytes);
        }
        Message {
            subject: "_INBOX.x.1".into(),
            reply: None,
            payload: Bytes::new(),
            headers: Some(headers),
            status: Some(StatusCode::try_from(code).unwrap()),
            description: Some(said.to_owned()),
            length: 0,
        }
    }

    #[test]
    fn a_stored_status_is_not_the_word_of_the_server() {
        for code in [100, 408, 409, 423, 503] {
            let mut stored = message(code, "Consumer Deleted", None);
            assert!(ServerStatus::of(&stored).is_some());
            stored.reply = Some("$JS.ACK.S.d.1.41.7.1700000000.0".into());
            assert_eq!(ServerStatus::of(&stored), None, "{code}");
        }
    }

    #[test]
    fn a_server_says_why_it_sends_nothing() {
        let pull_ended = |events, bytes, was_too_small| ServerStatus::PullEnded {
            events,
            bytes,
            was_too_small,
        };
        let session_ended = |cause: &str| ServerStatus::SessionEnded(cause.to_owned());
        let unused = Some(("3", "70"));
        for (code, said, unused, expected) in [
            (100, "Idle Heartbeat", None, ServerStatus::Heartbeat),
            (404, "No Messages", None, pull_ended(0, 0, false)),
            (408, "Request Timeout", unused, pull_ended(3, 70, false)),
            (409, "Batch Completed", unused, pull_ended(3, 70, false)),
            (
                409,
                "Message Size Exceeds MaxBytes",
                unused,
                pull_ended(3, 70, true),
            ),
            (
                409,
                "Consumer Deleted",
                None,
                session_ended("409 Consumer Deleted"),
            ),
            (423, "Nats-Pin-Id mismatch", None, session_ended(PIN_LOST)),
            (
                503,
                "No Responders",
                None,
                session_ended("jetstream does not answer"),
            ),
        ] {
            let read = ServerStatus::of(&message(code, said, unused));
            assert_eq!(read, Some(expected), "{code} {said}");
        }
    }
}
