//! One stretch of reading: from a look at the consumer until something breaks the line.

use std::time::Duration;

use async_nats::jetstream::consumer::Info;
use async_nats::{Message, Subject};
use tokio::time::Instant;

use super::super::message::Place;
use super::consumer::GROUP;
use super::line_up::LineUp;
use super::pulls::Pulls;
use crate::delivery::Received;
use crate::delivery::window::Capacity;
use crate::transport::SourceError;

/// Longest life of a request for messages.
const EXPIRES: Duration = Duration::from_secs(30);
/// Longest silence of the server while a request is open.
const HEARTBEAT: Duration = Duration::from_secs(2);
/// How much later than it said a server may end a request.
const GRACE: Duration = Duration::from_secs(5);

/// A message, when it was stored, and what acknowledges it.
pub(super) type Taken = (Received, i64, Subject);

/// Why a stretch of reading ended.
#[derive(Debug)]
pub(super) enum End {
    /// Look again at once.
    Anew,
    /// Look again after a pause.
    Again(String),
    /// Only an operator can help.
    Fatal(SourceError),
}

/// See the module.
pub(super) struct Epoch {
    pub(super) inbox: String,
    /// The consumer as it was.
    pub(super) info: Info,
    /// How often the connection was lost before.
    pub(super) disconnections: u64,
    pub(super) began: Instant,
    pub(super) heard: Instant,
    pub(super) had_message: Instant,
    pub(super) pulls: Pulls,
    pub(super) line: Option<LineUp<Taken>>,
    /// The next delivery of the consumer, where nobody else is given any.
    pub(super) expected: Option<u64>,
    /// Another process may be reading: this one waits for its turn.
    pub(super) stands_by: bool,
    pub(super) asked: Instant,
    pub(super) expires: Duration,
    pub(super) heartbeat: Duration,
    /// Half of it may pass without a request before another process takes over.
    pub(super) pin_timeout: Duration,
    pub(super) most_events: usize,
    pub(super) most_bytes: usize,
    /// How long a missing message may stay away.
    pub(super) patience: Duration,
}

impl Epoch {
    pub(super) fn new(
        inbox: String,
        disconnections: u64,
        info: Info,
        window: Capacity,
        max_payload: usize,
    ) -> Self {
        let now = Instant::now();
        let config = &info.config;
        let pin_timeout = config.priority_timeout;
        let bound = |limit: Duration| Some(limit).filter(|limit| *limit > Duration::ZERO);
        let expires = [
            Some(EXPIRES),
            bound(config.max_expires),
            bound(pin_timeout / 3),
        ];
        let expires = expires.into_iter().flatten().min().unwrap_or(EXPIRES);
        let limit = |limit: i64| {
            usize::try_from(limit)
                .ok()
                .filter(|&limit| limit > 0)
                .unwrap_or(usize::MAX)
        };
        Self {
            inbox,
            disconnections,
            began: now,
            heard: now,
            had_message: now,
            pulls: Pulls::new(window, max_payload),
            line: None,
            expected: None,
            stands_by: false,
            asked: now,
            expires,
            heartbeat: HEARTBEAT.min(expires / 3),
            pin_timeout,
            most_events: limit(config.max_batch),
            most_bytes: limit(config.max_bytes),
            patience: config.ack_wait + GRACE,
            info,
        }
    }

    /// When the server must have ended a request that is made now.
    pub(super) fn answered_by(&self) -> Instant {
        Instant::now() + self.expires + GRACE
    }

    /// Whether the server owes a sign of life.
    pub(super) fn is_silent(&self) -> bool {
        let now = Instant::now();
        self.pulls.is_overdue(now)
            || self.pulls.is_open()
                && now.duration_since(self.heard) > self.heartbeat * 2 + GRACE / 2
    }
}

/// The process that reads, where only one may.
pub(super) fn pinned(info: &Info) -> Option<&str> {
    let group = info
        .priority_groups
        .iter()
        .find(|group| group.group == GROUP)?;
    group
        .pinned_client_id
        .as_deref()
        .filter(|id| !id.is_empty())
}

/// What a server says instead of a message.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Status {
    Alive,
    /// A request ended with so many events and bytes unused.
    Ended {
        events: usize,
        bytes: usize,
        was_too_small: bool,
    },
    /// Another process reads.
    Unpinned,
    /// The consumer is another one, or gone: look at it.
    Changed,
    /// Something that passes.
    Trouble(String),
}

impl Status {
    /// Reads the status of a message that has one. Some servers hand a stored message out with the
    /// status that somebody published: what has a place in a stream is not the word of the server.
    pub(super) fn of(message: &Message) -> Option<Self> {
        let code = message.status?.as_u16();
        let is_stored = |reply: &Subject| Place::of(reply).is_some();
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
        let ended = |was_too_small| Self::Ended {
            events: unused("Nats-Pending-Messages"),
            bytes: unused("Nats-Pending-Bytes"),
            was_too_small,
        };
        Some(match (code, said) {
            (100, _) => Self::Alive,
            (404 | 408, _) | (409, "Batch Completed") => ended(false),
            (409, "Message Size Exceeds MaxBytes") => ended(true),
            (409, "Consumer Deleted" | "Consumer is push based") => Self::Changed,
            (423, _) => Self::Unpinned,
            (503, _) => Self::Trouble("jetstream does not answer".to_owned()),
            (code, said) => Self::Trouble(format!("{code} {said}")),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use async_nats::{HeaderMap, StatusCode};
    use bytes::Bytes;

    use super::*;

    fn status(code: u16, said: &str, unused: Option<(&str, &str)>) -> Option<Status> {
        Status::of(&message(code, said, unused))
    }

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
            assert!(Status::of(&stored).is_some());
            stored.reply = Some("$JS.ACK.S.d.1.41.7.1700000000.0".into());
            assert_eq!(Status::of(&stored), None, "{code}");
        }
    }

    #[test]
    fn a_server_says_why_it_sends_nothing() {
        let ended = |events, bytes, was_too_small| {
            Some(Status::Ended {
                events,
                bytes,
                was_too_small,
            })
        };
        let unused = Some(("3", "70"));
        for (code, said, unused, expected) in [
            (100, "Idle Heartbeat", None, Some(Status::Alive)),
            (404, "No Messages", None, ended(0, 0, false)),
            (408, "Request Timeout", unused, ended(3, 70, false)),
            (409, "Batch Completed", unused, ended(3, 70, false)),
            (
                409,
                "Message Size Exceeds MaxBytes",
                unused,
                ended(3, 70, true),
            ),
            (409, "Consumer Deleted", None, Some(Status::Changed)),
            (423, "Nats-Pin-Id mismatch", None, Some(Status::Unpinned)),
            (
                503,
                "No Responders",
                None,
                Some(Status::Trouble("jetstream does not answer".into())),
            ),
            (
                409,
                "Leadership Change",
                None,
                Some(Status::Trouble("409 Leadership Change".into())),
            ),
        ] {
            assert_eq!(status(code, said, unused), expected, "{code} {said}");
        }
    }
}
