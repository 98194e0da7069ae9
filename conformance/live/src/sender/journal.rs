//! What is kept of each request, for those who judge.

mod event;

use std::time::Duration;

use cloudevents_nl_conformance::{Capture, Evidence, Mode, Reading};
use tokio::time::Instant;

use super::scenario::ELSEWHERE;
use crate::listener::{Received, Refused};
use crate::shown::evidence;
pub(super) use event::Event;

/// What may be under way when an answer is given.
const UNDER_WAY: Duration = Duration::from_millis(500);

/// Everything that came, in order.
#[derive(Debug, Default)]
pub(super) struct Journal {
    pub(super) deliveries: Vec<Delivery>,
    pub(super) handshakes: Vec<Handshake>,
    pub(super) refused: Vec<Refused>,
}

/// A request that does not ask for consent.
#[derive(Debug)]
pub(super) struct Delivery {
    /// Where it stands in the record.
    pub(super) line: u64,
    pub(super) at: Instant,
    /// When it was answered, or would have been.
    pub(super) answered: Instant,
    pub(super) status: Option<u16>,
    /// `Retry-After` of the answer.
    pub(super) until: Option<Instant>,
    /// Of its address.
    pub(super) path: String,
    /// Whether it asked for what only a redirect names.
    pub(super) is_elsewhere: bool,
    pub(super) has_token: bool,
    pub(super) is_secure: bool,
    pub(super) is_batch: bool,
    pub(super) is_json: bool,
    pub(super) control: Control,
    /// Its trace header, where an event has one that differs.
    pub(super) other_trace: Option<String>,
    pub(super) has_same_trace: bool,
    pub(super) events: Vec<Event>,
}

/// A control character in an attribute of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Control {
    None,
    Coded,
    Raw,
}

/// A request that asks for consent.
#[derive(Clone, Debug)]
pub(super) struct Handshake {
    pub(super) line: u64,
    pub(super) at: Instant,
    /// How many deliveries came before.
    pub(super) deliveries: usize,
    pub(super) origin: String,
    pub(super) callback: Option<String>,
    /// Requests per minute that were granted with consent.
    pub(super) granted: Option<u32>,
    pub(super) has_consent: bool,
    /// Whether it was answered with consent to another origin.
    pub(super) is_to_another: bool,
    /// The methods of callbacks, and what each was answered.
    pub(super) callbacks: Vec<(&'static str, Option<u16>)>,
}

impl Handshake {
    /// It, as evidence.
    pub(super) fn evidence(&self, seen: impl Into<String>) -> Evidence {
        evidence(self.line, seen)
    }
}

impl Delivery {
    /// Without its answer.
    pub(super) fn of(received: &Received, capture: &Capture) -> Self {
        let reading = Reading::of(capture);
        let trace = received.header("traceparent");
        let attributes = reading.events.iter().map(|event| event.text("traceparent"));
        let pairs = attributes.filter_map(|attribute| attribute.zip(trace));
        let (same, other): (Vec<_>, Vec<_>) = pairs.partition(|(one, other)| one == other);
        let query = received.head.uri.query().unwrap_or_default();
        Self {
            line: 0,
            at: received.at,
            answered: received.at,
            status: None,
            until: None,
            path: received.head.uri.path().to_owned(),
            is_elsewhere: query.contains(ELSEWHERE),
            has_token: capture.has_token(),
            is_secure: received.url.starts_with("https:"),
            is_batch: reading.mode == Mode::Batched,
            is_json: reading.is_json(),
            control: control(&reading),
            other_trace: other.first().map(|(one, other)| format!("{one} ≠ {other}")),
            has_same_trace: !same.is_empty(),
            events: Event::all(&reading),
        }
    }

    /// Whether its sender had the answer to an earlier one: it came with the same event, or late enough.
    /// Others may have been on their way, or waiting for the connection.
    pub(super) fn knows(&self, earlier: &Self) -> bool {
        self.at > earlier.at && (self.repeats(earlier) || self.at > earlier.answered + UNDER_WAY)
    }

    /// Whether it has an event of another one.
    pub(super) fn repeats(&self, other: &Self) -> bool {
        self.events.iter().any(|event| other.has(event))
    }

    pub(super) fn has(&self, event: &Event) -> bool {
        self.events.iter().any(|of| of.name == event.name)
    }

    /// Whether it has not been taken, and sending it again may help.
    pub(super) fn may_come_again(&self) -> bool {
        self.status
            .is_none_or(|status| matches!(status, 408 | 425 | 429 | 500..))
    }

    /// It, as evidence.
    pub(super) fn evidence(&self, seen: impl Into<String>) -> Evidence {
        evidence(self.line, seen)
    }
}

fn control(reading: &Reading<'_>) -> Control {
    let (mut found, is_control) = (Control::None, |byte: &u8| *byte < 0x20 || *byte == 0x7F);
    for (_, value) in reading.coded_headers() {
        if value.iter().any(is_control) {
            return Control::Raw;
        }
        let is_coded = |triple: &[u8]| {
            matches!(triple, [b'%', b'0' | b'1', digit] if digit.is_ascii_hexdigit())
                || triple.eq_ignore_ascii_case(b"%7F")
        };
        if value.windows(3).any(is_coded) {
            found = Control::Coded;
        }
    }
    found
}
