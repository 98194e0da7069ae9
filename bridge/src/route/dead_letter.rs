//! Pure: a dead letter is the message as it was received, and headers that explain it.

use cloudevents_nl_codec::HeaderSink;
use jiff::Timestamp;

use crate::delivery::Received;
use crate::transport::Outgoing;

/// Why a message ended among the dead letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It is no event, or not a valid one, or in a format that the codec does not read.
    Undecodable,
    /// It is an event that the destination's mode cannot carry.
    Unwritable,
    /// The destination refused it.
    Refused,
    /// The limit of attempts or of age that the user set was reached.
    Exhausted,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [
        Self::Undecodable,
        Self::Unwritable,
        Self::Refused,
        Self::Exhausted,
    ];

    /// The word in `cenl-kind` and in metrics.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Undecodable => "undecodable",
            Self::Unwritable => "unwritable",
            Self::Refused => "refused",
            Self::Exhausted => "exhausted",
        }
    }
}

/// What is known about a message that could not be delivered.
#[derive(Debug)]
pub struct Reason<'a> {
    /// Name of the route.
    pub route: &'a str,
    /// Why.
    pub kind: Kind,
    /// The last answer: a status code, or a word.
    pub status: String,
    /// Attempts made.
    pub attempts: u32,
    /// When the first attempt ended; the moment of intake where there was none.
    pub first_attempt: Timestamp,
    /// When the last attempt ended.
    pub last_attempt: Timestamp,
}

/// The dead letter of a message: value, key and headers unchanged, and the reasons behind them.
#[must_use]
pub fn dead_letter(received: &Received, reason: &Reason<'_>) -> Outgoing {
    let mut headers = received.headers.clone();
    let attempts = reason.attempts.to_string();
    let (first, last) = (
        reason.first_attempt.to_string(),
        reason.last_attempt.to_string(),
    );
    for (name, value) in [
        ("cenl-route", reason.route),
        ("cenl-kind", reason.kind.word()),
        ("cenl-status", &reason.status),
        ("cenl-attempts", &attempts),
        ("cenl-first-attempt", &first),
        ("cenl-last-attempt", &last),
        ("cenl-source", &received.position.to_string()),
        ("cenl-version", env!("CARGO_PKG_VERSION")),
    ] {
        headers.header(name, value);
    }
    Outgoing {
        headers,
        body: received.body.clone(),
        key: received.key.clone(),
        timestamp_ms: received.timestamp_ms,
        // A repeat of a dead letter is kept: the same event may fail, be sent again and fail anew.
        message_id: None,
        received_as: Some(received.binding),
    }
}
