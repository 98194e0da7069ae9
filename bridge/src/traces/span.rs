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
/// About what one takes, without its attempts.
pub(crate) const MEMORY: usize = 1 << 10;
const ATTEMPT_MEMORY: usize = 1 << 9;

/// A span that is nothing yet but the child of the event's `traceparent`. One that is not valid counts as not there,
/// as W3C Trace Context says.
pub(crate) fn child_of(event: &Event<'_>) -> Option<Box<Span>> {
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
    let is_remote =
        SpanFlags::ContextHasIsRemoteMask as u32 | SpanFlags::ContextIsRemoteMask as u32;
    is_valid.then(|| {
        Box::new(Span {
            trace_id: trace_id.to_be_bytes().to_vec(),
            parent_span_id: (span_id as u64).to_be_bytes().to_vec(),
            trace_state: if state.len() > STATE_MAX {
                String::new()
            } else {
                state
            },
            flags: flags as u32 & SAMPLED | is_remote,
            ..Span::default()
        })
    })
}

/// So many digits, none of them a capital.
fn hex(field: Option<&str>, digits: usize) -> Option<u128> {
    let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let field = field.filter(|field| field.len() == digits && field.bytes().all(is_digit))?;
    u128::from_str_radix(field, 16).ok()
}

/// What the spans of one route share.
#[derive(Debug)]
pub(super) struct SpanNames {
    name: String,
    kind: SpanKind,
    attributes: Vec<KeyValue>,
}

impl SpanNames {
    /// A message is processed, unless it came as a POST: then it is sent.
    pub(super) fn new(route: &str, source: &Address, sink: &Address) -> Self {
        let (operation, kind, place) = match source.transport == http::TRANSPORT.name {
            true => ("send", SpanKind::Producer, sink),
            false => ("process", SpanKind::Consumer, source),
        };
        let name = place.name.trim_start_matches("stream ");
        Self {
            name: format!("{operation} {name}"),
            kind,
            attributes: vec![
                text("messaging.operation.name", operation),
                text("messaging.operation.type", operation),
                text("messaging.system", place.transport),
                text("messaging.destination.name", name),
                text("cenl.route", route),
                text("cenl.sink", sink),
            ],
        }
    }

    /// Where it is sampled: its parent decides, else chance.
    pub(super) fn begin(
        &self,
        child: Option<Box<Span>>,
        sampled: f64,
        random: &mut Rng,
        now: Timestamp,
    ) -> Option<Box<Span>> {
        let mut span = match child {
            Some(child) if child.flags & SAMPLED == 0 => return None,
            Some(child) => child,
            None if random.f64() >= sampled => return None,
            None => Box::new(Span {
                trace_id: random.u128(1..).to_be_bytes().to_vec(),
                flags: SAMPLED,
                ..Span::default()
            }),
        };
        span.span_id = random.u64(1..).to_be_bytes().to_vec();
        span.name.clone_from(&self.name);
        span.kind = self.kind as i32;
        span.start_time_unix_nano = nanoseconds(now);
        span.attributes.clone_from(&self.attributes);
        Some(span)
    }
}

/// An exchange in which it took part.
pub(crate) fn attempt(
    outcome: &Outcome,
    has_failed: bool,
    is_dead_letter: bool,
    took: Duration,
    now: Timestamp,
) -> SpanEvent {
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
    SpanEvent {
        time_unix_nano: nanoseconds(now.saturating_sub(took).unwrap_or(now)),
        name: "attempt".to_owned(),
        attributes,
        ..SpanEvent::default()
    }
}

/// Returns how much memory more it takes.
pub(crate) fn add_attempt(span: &mut Span, attempt: &SpanEvent) -> usize {
    let is_full = span.events.len() == ATTEMPTS_MAX;
    if is_full {
        span.events.remove(0);
        span.dropped_events_count = span.dropped_events_count.saturating_add(1);
    }
    span.events.push(attempt.clone());
    if is_full { 0 } else { ATTEMPT_MEMORY }
}

/// It could not be delivered.
pub(crate) fn fail(span: &mut Span, kind: &str, status: &str) {
    span.attributes.push(text("error.type", kind));
    span.status = Some(Status {
        message: format!("{kind}: {status}"),
        code: StatusCode::Error.into(),
    });
}

/// `identity` is `id`, `source` and `type`, where they can be read.
pub(crate) fn end(
    span: &mut Span,
    identity: Option<[String; 3]>,
    position: &impl Display,
    verdict: &str,
    now: Timestamp,
) {
    span.end_time_unix_nano = nanoseconds(now);
    if let Some([id, source, ty]) = identity {
        span.attributes.extend([
            text("cloudevents.event_id", id),
            text("cloudevents.event_source", source),
            text("cloudevents.event_type", ty),
            text("cloudevents.event_spec_version", "1.0"),
        ]);
    }
    let own = [
        text("cenl.position", position),
        text("cenl.verdict", verdict),
    ];
    span.attributes.extend(own);
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

    fn child(text: &str, state: &str) -> Option<Box<Span>> {
        let event = Event::new("1", "/a", "b").unwrap();
        let event = event.with_extension("traceparent", text).unwrap();
        let event = event.with_extension("tracestate", state).unwrap();
        child_of(&event)
    }

    #[test]
    fn reads_what_w3c_trace_context_calls_valid() {
        let valid = "00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01";
        let child_of_valid = child(valid, "a=1").unwrap();
        let trace_id = 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c_u128;
        assert_eq!(child_of_valid.trace_id, trace_id.to_be_bytes());
        let span_id = 0xb9c7_c989_f979_18e1_u64;
        assert_eq!(child_of_valid.parent_span_id, span_id.to_be_bytes());
        assert_eq!(child_of_valid.trace_state, "a=1");
        assert_eq!(child(valid, &"a".repeat(513)).unwrap().trace_state, "");
        for (flags, expected) in [("00", 0x300), ("01", 0x301), ("02", 0x300), ("03", 0x301)] {
            let text = valid.replace("-01", &format!("-{flags}"));
            assert_eq!(child(&text, "").unwrap().flags, expected, "{text}");
        }
        let later = format!("{}-more", valid.replacen("00-", "01-", 1));
        assert!(child(&later, "").is_some());
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
            assert_eq!(child(invalid, ""), None, "{invalid}");
        }
        assert_eq!(child_of(&Event::new("1", "/a", "b").unwrap()), None);
    }
}
