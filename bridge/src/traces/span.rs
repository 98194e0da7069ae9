//! Pure: the span of an event, by the semantic conventions of OpenTelemetry for messaging and for CloudEvents. `subject`
//! and data are not in it.

use std::fmt::Display;
use std::time::Duration;

use cloudevents_nl_codec::Event;
use fastrand::Rng;
use jiff::Timestamp;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::span::{Event as SpanEvent, SpanKind};
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{Span, SpanFlags, Status};

use crate::outcome::Outcome;
use crate::transport::address::Address;
use crate::transport::http;

/// An `id` may be as long as an event.
const TEXT_MAX: usize = 1024;
/// What W3C Trace Context asks to carry at least.
const STATE_MAX: usize = 512;
/// The last ones are kept.
const ATTEMPTS_MAX: usize = 32;
const SAMPLED: u32 = 1;
const IS_REMOTE: u32 =
    SpanFlags::ContextHasIsRemoteMask as u32 | SpanFlags::ContextIsRemoteMask as u32;
/// About what one takes, without its attempts.
pub(crate) const MEMORY: usize = 1 << 10;
const ATTEMPT_MEMORY: usize = 1 << 9;

/// The span of somebody else in which the event was sent.
#[derive(Debug, PartialEq)]
pub(crate) struct Parent {
    trace_id: u128,
    span_id: u64,
    pub(super) is_sampled: bool,
    state: Option<String>,
}

impl Parent {
    /// From `traceparent`. One that is not valid counts as not there, as W3C Trace Context says.
    pub(crate) fn of(event: &Event<'_>) -> Option<Self> {
        let text = event.attribute("traceparent")?;
        let text = text.text();
        let mut fields = text.split('-');
        let (version, trace_id) = (hex(fields.next(), 2)?, hex(fields.next(), 32)?);
        let (span_id, flags) = (hex(fields.next(), 16)?, hex(fields.next(), 2)?);
        // Later versions may have more behind the flags.
        let is_whole = version != 0 || fields.next().is_none();
        let is_valid = is_whole && version != 0xff && trace_id != 0 && span_id != 0;
        let state = event.attribute("tracestate");
        let state = state.map(|state| state.text().into_owned());
        is_valid.then_some(Self {
            trace_id,
            span_id: span_id as u64,
            is_sampled: flags as u32 & SAMPLED != 0,
            state: state.filter(|state| state.len() <= STATE_MAX),
        })
    }
}

/// So many digits, none of them a capital.
fn hex(field: Option<&str>, digits: usize) -> Option<u128> {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let field = field.filter(|field| field.len() == digits && field.bytes().all(is_digit))?;
    u128::from_str_radix(field, 16).ok()
}

/// What the spans of one route have in common. A message is processed, unless it came as a POST: then it is sent.
pub(super) fn of_route(route: &str, source: &Address, sink: &Address) -> Span {
    let (operation, kind, place) = match source.transport == http::TRANSPORT.name {
        true => ("send", SpanKind::Producer, sink),
        false => ("process", SpanKind::Consumer, source),
    };
    let name = place.name.trim_start_matches("stream ");
    Span {
        name: format!("{operation} {name}"),
        kind: kind.into(),
        attributes: vec![
            text("messaging.operation.name", operation),
            text("messaging.operation.type", operation),
            text("messaging.system", place.transport),
            text("messaging.destination.name", name),
            text("cenl.route", route),
            text("cenl.sink", sink),
        ],
        ..Span::default()
    }
}

/// Of an event that is sampled, until it is settled.
#[derive(Debug)]
pub(crate) struct EventSpan(Box<Span>);

impl EventSpan {
    /// Without a parent a new trace begins.
    pub(super) fn begin(
        of_route: &Span,
        parent: Option<Box<Parent>>,
        random: &mut Rng,
        now: Timestamp,
    ) -> Self {
        let mut span = Box::new(of_route.clone());
        span.flags = SAMPLED;
        let trace_id = match parent {
            Some(parent) => {
                span.parent_span_id = parent.span_id.to_be_bytes().to_vec();
                span.trace_state = parent.state.unwrap_or_default();
                span.flags |= IS_REMOTE;
                parent.trace_id
            }
            None => random.u128(1..),
        };
        span.trace_id = trace_id.to_be_bytes().to_vec();
        span.span_id = random.u64(1..).to_be_bytes().to_vec();
        span.start_time_unix_nano = nanoseconds(now);
        Self(span)
    }

    /// An exchange in which it took part. Returns how much memory more it takes.
    pub(crate) fn attempt(
        &mut self,
        outcome: &Outcome,
        has_failed: bool,
        is_dead_letter: bool,
        took: Duration,
        now: Timestamp,
    ) -> usize {
        let milliseconds = Value::DoubleValue(took.as_secs_f64() * 1000.0);
        let mut attributes = vec![attribute("cenl.duration_ms", milliseconds)];
        if is_dead_letter {
            attributes.push(attribute("cenl.dead_letter", Value::BoolValue(true)));
        }
        if let Outcome::Status { code, .. } = *outcome {
            let code = Value::IntValue(code.into());
            attributes.push(attribute("http.response.status_code", code));
        }
        if has_failed {
            attributes.push(text("error.type", outcome.status()));
        }
        let is_full = self.0.events.len() == ATTEMPTS_MAX;
        if is_full {
            self.0.events.remove(0);
            self.0.dropped_events_count = self.0.dropped_events_count.saturating_add(1);
        }
        self.0.events.push(SpanEvent {
            time_unix_nano: nanoseconds(now.saturating_sub(took).unwrap_or(now)),
            name: "attempt".to_owned(),
            attributes,
            ..SpanEvent::default()
        });
        if is_full { 0 } else { ATTEMPT_MEMORY }
    }

    /// It could not be delivered.
    pub(crate) fn fail(&mut self, kind: &str, status: &str) {
        self.0.attributes.push(text("error.type", kind));
        self.0.status = Some(Status {
            message: format!("{kind}: {status}"),
            code: StatusCode::Error.into(),
        });
    }

    /// `id`, `source` and `type` as far as they can be read.
    pub(crate) fn end(
        mut self,
        [id, source, ty]: [Option<String>; 3],
        position: &impl Display,
        verdict: &str,
        now: Timestamp,
    ) -> Span {
        self.0.end_time_unix_nano = nanoseconds(now);
        let is_named = id.is_some() && source.is_some() && ty.is_some();
        let version = is_named.then(|| "1.0".to_owned());
        let names = [
            "cloudevents.event_id",
            "cloudevents.event_source",
            "cloudevents.event_type",
            "cloudevents.event_spec_version",
        ];
        let known = names.into_iter().zip([id, source, ty, version]);
        let known = known.filter_map(|(key, value)| Some(text(key, value?)));
        self.0.attributes.extend(known);
        self.0.attributes.push(text("cenl.position", position));
        self.0.attributes.push(text("cenl.verdict", verdict));
        *self.0
    }
}

pub(super) fn text(key: &str, value: impl Display) -> KeyValue {
    let text = value.to_string();
    let text = text.chars().take(TEXT_MAX).collect();
    attribute(key, Value::StringValue(text))
}

fn attribute(key: &str, value: Value) -> KeyValue {
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
        ..KeyValue::default()
    }
}

fn nanoseconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_nanosecond()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn parent(text: &str, state: &str) -> Option<Parent> {
        let event = Event::new("1", "/a", "b").unwrap();
        let event = event.with_extension("traceparent", text).unwrap();
        let event = event.with_extension("tracestate", state).unwrap();
        Parent::of(&event)
    }

    #[test]
    fn reads_what_w3c_trace_context_calls_valid() {
        let valid = "00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01";
        let expected = Parent {
            trace_id: 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c,
            span_id: 0xb9c7_c989_f979_18e1,
            is_sampled: true,
            state: Some("a=1".to_owned()),
        };
        assert_eq!(parent(valid, "a=1"), Some(expected));
        assert_eq!(parent(valid, &"a".repeat(513)).unwrap().state, None);
        for (flags, expected) in [("00", false), ("01", true), ("02", false), ("03", true)] {
            let text = valid.replace("-01", &format!("-{flags}"));
            assert_eq!(parent(&text, "").unwrap().is_sampled, expected, "{text}");
        }
        let later = format!("{}-more", valid.replacen("00-", "01-", 1));
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
        assert_eq!(Parent::of(&Event::new("1", "/a", "b").unwrap()), None);
    }

    #[test]
    fn a_span_continues_the_trace_of_its_parent_or_begins_one() {
        let begin = |parent: Option<Parent>| {
            let random = &mut Rng::with_seed(7);
            EventSpan::begin(
                &Span::default(),
                parent.map(Box::new),
                random,
                Timestamp::UNIX_EPOCH,
            )
            .0
        };
        let parent = Parent {
            trace_id: 1,
            span_id: 2,
            is_sampled: true,
            state: Some("a=1".to_owned()),
        };
        let span = begin(Some(parent));
        assert_eq!(span.trace_id, 1_u128.to_be_bytes());
        assert_eq!(span.parent_span_id, 2_u64.to_be_bytes());
        assert_eq!((&*span.trace_state, span.flags), ("a=1", 0x301));
        let span = begin(None);
        assert_eq!((span.trace_id.len(), span.span_id.len()), (16, 8));
        assert!(span.parent_span_id.is_empty());
        assert_eq!((&*span.trace_state, span.flags), ("", 1));
    }
}
