//! Pure: what a route knows of the way of one event that is traced. A span is made of it elsewhere.

use std::collections::VecDeque;
use std::time::Duration;

use cloudevents_nl_codec::Event;
use jiff::Timestamp;

use super::Now;
use super::dead_letter::Kind;
use super::item::{Item, Stage};
use crate::delivery::Verdict;
use crate::outcome::{Next, Outcome};

/// The last ones of an event are kept.
const ATTEMPTS_MAX: usize = 32;
/// What W3C Trace Context asks to carry at least.
const STATE_MAX: usize = 512;

/// The Distributed Tracing extension of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceParent {
    pub trace_id: [u8; 16],
    pub span_id: [u8; 8],
    pub is_sampled: bool,
    /// `tracestate`, as it is.
    pub state: String,
}

impl TraceParent {
    /// One that is not valid counts as not there, as W3C Trace Context says.
    pub(super) fn of(event: &Event<'_>) -> Option<Self> {
        let text = event.attribute("traceparent")?;
        let text = text.text();
        let mut fields = text.split('-');
        let (version, trace_id) = (hex(fields.next(), 2)?, hex(fields.next(), 32)?);
        let (span_id, flags) = (hex(fields.next(), 16)?, hex(fields.next(), 2)?);
        // Later versions may have more behind the flags.
        let is_whole = version != 0 || fields.next().is_none();
        let is_valid = is_whole && version != 0xff && trace_id != 0 && span_id != 0;
        let state = event.attribute("tracestate");
        let state = state.map_or_else(String::new, |state| state.text().into_owned());
        is_valid.then(|| Self {
            trace_id: trace_id.to_be_bytes(),
            span_id: (span_id as u64).to_be_bytes(),
            is_sampled: flags & 1 == 1,
            state: if state.len() > STATE_MAX {
                String::new()
            } else {
                state
            },
        })
    }
}

/// So many digits, none of them a capital.
fn hex(field: Option<&str>, digits: usize) -> Option<u128> {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let field = field.filter(|field| field.len() == digits && field.bytes().all(is_digit))?;
    u128::from_str_radix(field, 16).ok()
}

/// An exchange in which the event took part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Attempt {
    pub began: Timestamp,
    pub took: Duration,
    pub is_dead_letter: bool,
    pub has_failed: bool,
    pub word: &'static str,
    pub status_code: Option<u16>,
}

impl Attempt {
    pub(super) fn new(
        stage: Stage,
        outcome: &Outcome,
        next: Next,
        took: Duration,
        now: Now,
    ) -> Self {
        Self {
            began: now.wall.saturating_sub(took).unwrap_or(now.wall),
            took,
            is_dead_letter: stage == Stage::DeadLetter,
            has_failed: next != Next::Delivered,
            word: outcome.word(),
            status_code: match *outcome {
                Outcome::Status { code, .. } => Some(code),
                _ => None,
            },
        }
    }
}

#[derive(Debug)]
pub struct Trace {
    pub parent: Option<TraceParent>,
    pub taken: Timestamp,
    pub attempts: VecDeque<Attempt>,
    /// Those before them.
    pub attempts_dropped: u32,
    /// Why it could not be delivered, with the status of the last outcome.
    pub error: Option<(Kind, String)>,
}

impl Trace {
    /// What the window counts for it.
    pub(super) const MEMORY: usize = size_of::<Self>() + ATTEMPTS_MAX * size_of::<Attempt>();

    pub(super) fn new(parent: Option<TraceParent>, now: Now) -> Self {
        Self {
            parent,
            taken: now.wall,
            attempts: VecDeque::new(),
            attempts_dropped: 0,
            error: None,
        }
    }
}

impl Item {
    pub(super) fn trace_attempt(&mut self, attempt: Attempt) {
        if let Some(trace) = &mut self.trace {
            if trace.attempts.len() == ATTEMPTS_MAX {
                trace.attempts.pop_front();
                trace.attempts_dropped = trace.attempts_dropped.saturating_add(1);
            }
            trace.attempts.push_back(attempt);
        }
    }

    pub(super) fn trace_error(&mut self, kind: Kind, status: &str) {
        if let Some(trace) = &mut self.trace {
            trace.error = Some((kind, status.to_owned()));
        }
    }
}

/// Its event was settled, or refused to the sender that waits.
#[derive(Debug)]
pub struct FinishedTrace {
    pub trace: Trace,
    pub ended: Timestamp,
    /// `None` is a refusal.
    pub verdict: Option<Verdict>,
    /// `id`, `source` and `type`, where they can be read.
    pub identity: Option<[String; 3]>,
    pub position: String,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn parent(text: &str, state: &str) -> Option<TraceParent> {
        let event = Event::new("1", "/a", "b").unwrap();
        let event = event.with_extension("traceparent", text).unwrap();
        let event = event.with_extension("tracestate", state).unwrap();
        TraceParent::of(&event)
    }

    #[test]
    fn reads_what_w3c_trace_context_calls_valid() {
        let valid = "00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01";
        let expected = TraceParent {
            trace_id: 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c_u128.to_be_bytes(),
            span_id: 0xb9c7_c989_f979_18e1_u64.to_be_bytes(),
            is_sampled: true,
            state: "a=1".to_owned(),
        };
        assert_eq!(parent(valid, "a=1"), Some(expected));
        assert_eq!(parent(valid, &"a".repeat(513)).unwrap().state, "");
        for (flags, is_sampled) in [("00", false), ("02", false), ("03", true)] {
            let text = format!("{}{flags}", &valid[..53]);
            assert_eq!(parent(&text, "").unwrap().is_sampled, is_sampled, "{text}");
        }
        let later = format!("01{}-more", &valid[2..]);
        assert!(parent(&later, "").is_some());
        for invalid in [
            "00-0-0-0",
            "00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1",
            "00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01-more",
            "ff-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01",
            "00-0AF7651916CD43DD8448EB211C80319C-B9C7C989F97918E1-01",
            "00-00000000000000000000000000000000-b9c7c989f97918e1-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-+af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01",
        ] {
            assert_eq!(parent(invalid, ""), None, "{invalid}");
        }
        assert_eq!(TraceParent::of(&Event::new("1", "/a", "b").unwrap()), None);
    }
}
