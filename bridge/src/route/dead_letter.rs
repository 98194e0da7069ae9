//! Pure: a dead letter is the message as it was received, with headers that explain it; and the way back.

use cloudevents_nl_codec::{Binding, HTTP, HeaderList, KAFKA, NATS};
use jiff::Timestamp;

use crate::delivery::Received;
use crate::transport::Outgoing;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// No event, not a valid one, or in a format that the codec does not read.
    Undecodable,
    /// It violates the profile that the route checks.
    Profile,
    /// The mode of the destination cannot carry it.
    Unwritable,
    Refused,
    /// Refused again and again, while others were delivered.
    RefusedAlone,
    Exhausted,
}

impl Kind {
    pub const ALL: [Self; 6] = [
        Self::Undecodable,
        Self::Profile,
        Self::Unwritable,
        Self::Refused,
        Self::RefusedAlone,
        Self::Exhausted,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Self::Undecodable => "undecodable",
            Self::Profile => "profile",
            Self::Unwritable => "unwritable",
            Self::Refused => "refused",
            Self::RefusedAlone => "refused-alone",
            Self::Exhausted => "exhausted",
        }
    }
}

#[derive(Debug)]
pub struct Reason<'a> {
    pub route: &'a str,
    pub kind: Kind,
    /// The status code or word of the last outcome, or the rules that it violates.
    pub status: String,
    pub attempts: u32,
    /// The moment of intake where there was no attempt.
    pub first_attempt: Timestamp,
    pub last_attempt: Timestamp,
    /// What the receiver said, where it is kept.
    pub error_body: Option<&'a str>,
}

/// The headers added to the message, in order; the last one only where it says something.
const NAMES: [&str; 9] = [
    "cenl-route",
    "cenl-kind",
    "cenl-status",
    "cenl-attempts",
    "cenl-first-attempt",
    "cenl-last-attempt",
    "cenl-source",
    "cenl-version",
    "cenl-error-body",
];

/// Value, key and headers unchanged, and the reasons behind them.
pub fn dead_letter(received: &Received, reason: &Reason<'_>) -> Outgoing {
    let mut headers = received.headers.clone();
    let values = [
        reason.route,
        reason.kind.word(),
        &reason.status,
        &reason.attempts.to_string(),
        &reason.first_attempt.to_string(),
        &reason.last_attempt.to_string(),
        &received.position.to_string(),
        env!("CARGO_PKG_VERSION"),
    ];
    let values = values.into_iter().chain(reason.error_body);
    for (name, value) in NAMES.into_iter().zip(values) {
        headers.push(name, Some(value.as_bytes()));
    }
    Outgoing {
        headers,
        body: received.body.clone(),
        key: received.key.clone(),
        timestamp_ms: received.timestamp_ms,
        // Repeats are kept: an event may fail, be sent again and fail anew.
        message_id: None,
        received_as: Some(received.binding),
    }
}

/// The last header, in milliseconds since 1970, where a place does not take that timestamp for its records.
const TIMESTAMP: &str = "cenl-timestamp";

pub fn move_timestamp_to_header(letter: &mut Outgoing) {
    if let Some(time) = letter.timestamp_ms.take() {
        let time = time.to_string();
        letter.headers.push(TIMESTAMP, Some(time.as_bytes()));
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    pub route: String,
    /// The word of a [`Kind`].
    pub kind: String,
    pub status: String,
    pub attempts: String,
    pub last_attempt: String,
    pub source: String,
}

/// The message as it was first received, at the position of the dead letter, if it is one.
/// A dead letter of a dead letter has the headers twice: only the last of each name is taken off.
pub fn restore(dead_letter: &Received) -> Option<(Received, Explanation)> {
    let explanation = explain(&dead_letter.headers)?;
    let all: Vec<_> = dead_letter.headers.iter().collect();
    let moved_time = all.split_last().and_then(|(last, before)| {
        let time = str::from_utf8(last.value.filter(|_| last.name == TIMESTAMP)?).ok()?;
        Some((time.parse().ok()?, before))
    });
    let (time, received) = moved_time.map_or((None, &*all), |(time, before)| (Some(time), before));
    let mut headers = HeaderList::default();
    for (index, header) in received.iter().enumerate() {
        let is_last = |name| !received[index + 1..].iter().any(|later| later.name == name);
        if !(NAMES.contains(&header.name) && is_last(header.name)) {
            headers.push(header.name, header.value);
        }
    }
    let restored = Received {
        binding: binding_at(&explanation.source).unwrap_or(dead_letter.binding),
        headers,
        timestamp_ms: time.or(dead_letter.timestamp_ms),
        ..dead_letter.clone()
    };
    Some((restored, explanation))
}

/// Exact names only: one in other letters was received, and some places sort by name.
pub fn explain(headers: &HeaderList) -> Option<Explanation> {
    let text = |name: &str| {
        let last = headers.iter().filter(|header| header.name == name).last()?;
        let text = String::from_utf8_lossy(last.value.unwrap_or_default());
        Some(text.into_owned())
    };
    Some(Explanation {
        route: text("cenl-route")?,
        kind: text("cenl-kind")?,
        status: text("cenl-status").unwrap_or_default(),
        attempts: text("cenl-attempts").unwrap_or_default(),
        last_attempt: text("cenl-last-attempt").unwrap_or_default(),
        source: text("cenl-source").unwrap_or_default(),
    })
}

/// A dead letter keeps the binding of the place it came from, such as `kafka:topic/partition/offset`.
fn binding_at(position: &str) -> Option<&'static Binding> {
    let (protocol, _) = position.split_once(':')?;
    let mut bindings = [&KAFKA, &HTTP, &NATS].into_iter();
    bindings.find(|binding| binding.protocol == protocol)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::delivery::Position;

    fn message() -> Received {
        let mut headers = HeaderList::default();
        headers.push("ce_id", Some(b"1"));
        headers.push("x", None);
        headers.push("x", Some(b"\xff"));
        Received {
            binding: &KAFKA,
            headers,
            key: Some("k".into()),
            body: Some("{}".into()),
            timestamp_ms: Some(17),
            position: Position::numbered("kafka:zaken/3/", 41),
            defect: None,
        }
    }

    /// What a source would receive of a dead letter, in a place that spells events otherwise.
    fn kept(received: &Received, status: &str) -> Received {
        let letter = dead_letter(
            received,
            &Reason {
                route: "out",
                kind: Kind::Refused,
                status: status.to_owned(),
                attempts: 2,
                first_attempt: Timestamp::UNIX_EPOCH,
                last_attempt: Timestamp::UNIX_EPOCH,
                error_body: Some("no such zaak"),
            },
        );
        Received {
            binding: &NATS,
            headers: letter.headers,
            key: letter.key,
            body: letter.body,
            timestamp_ms: letter.timestamp_ms,
            position: Position::numbered("kafka:dead/0/", 0),
            defect: None,
        }
    }

    #[test]
    fn what_is_restored_is_what_was_received() {
        let (restored, explanation) = restore(&kept(&message(), "422")).unwrap();
        assert_eq!(restored.headers, message().headers);
        assert_eq!(restored.binding.protocol, "kafka");
        assert_eq!(restored.body, message().body);
        assert_eq!(restored.key, message().key);
        assert_eq!(restored.timestamp_ms, message().timestamp_ms);
        let expected = Explanation {
            route: "out".to_owned(),
            kind: "refused".to_owned(),
            status: "422".to_owned(),
            attempts: "2".to_owned(),
            last_attempt: "1970-01-01T00:00:00Z".to_owned(),
            source: "kafka:zaken/3/41".to_owned(),
        };
        assert_eq!(explanation, expected);
    }

    #[test]
    fn a_time_that_was_taken_aside_is_restored() {
        let mut letter = Outgoing {
            timestamp_ms: Some(17),
            headers: kept(&message(), "422").headers,
            ..Outgoing::default()
        };
        move_timestamp_to_header(&mut letter);
        move_timestamp_to_header(&mut letter);
        assert_eq!(letter.timestamp_ms, None);
        let kept = Received {
            headers: letter.headers,
            timestamp_ms: Some(99),
            ..kept(&message(), "422")
        };
        let (restored, explanation) = restore(&kept).unwrap();
        assert_eq!(restored.headers, message().headers);
        assert_eq!(restored.timestamp_ms, Some(17));
        assert_eq!(explanation.status, "422");
        // A header of that name that was received says nothing of the letter.
        let mut other = message();
        other.headers.push("cenl-timestamp", Some(b"5"));
        let (restored, _) = restore(&self::kept(&other, "422")).unwrap();
        assert_eq!(
            (restored.headers, restored.timestamp_ms),
            (other.headers, Some(17))
        );
    }

    #[test]
    fn a_dead_letter_of_a_dead_letter_gives_back_the_first() {
        let first = kept(&message(), "400");
        let (restored, explanation) = restore(&kept(&first, "422")).unwrap();
        assert_eq!(restored.headers, first.headers);
        assert_eq!(explanation.status, "422");
        assert_eq!(restore(&restored).unwrap().1.status, "400");
    }

    #[test]
    fn a_received_name_in_other_letters_says_nothing() {
        let mut letter = kept(&message(), "422");
        for name in ["Cenl-Route", "CENL-KIND", "Cenl-source"] {
            letter.headers.push(name, Some(b"hush"));
        }
        let (restored, explanation) = restore(&letter).unwrap();
        assert_eq!(explanation.route, "out");
        assert_eq!(explanation.kind, "refused");
        assert_eq!(explanation.source, "kafka:zaken/3/41");
        assert_eq!(restored.headers.len(), message().headers.len() + 3);
    }

    #[test]
    fn other_messages_are_no_dead_letters() {
        assert!(restore(&message()).is_none());
    }
}
