//! Pure but for the ids: a span of what a route knows, by the semantic conventions of OpenTelemetry for messaging and
//! for CloudEvents. `subject` and data are not in it.

use std::fmt::Display;

use jiff::Timestamp;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::span::{Event, SpanKind};
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;
use opentelemetry_proto::tonic::trace::v1::{Span, SpanFlags, Status};

use crate::delivery::Verdict;
use crate::route::trace::{Attempt, FinishedTrace};
use crate::transport::address::Address;
use crate::transport::http;

/// An `id` may be as long as an event.
const TEXT_MAX: usize = 1024;

/// What the spans of one route share.
#[derive(Debug)]
pub(super) struct SpanNames {
    span: String,
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
            span: format!("{operation} {name}"),
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

    pub(super) fn span(&self, finished: FinishedTrace) -> Span {
        let FinishedTrace { trace, verdict, .. } = &finished;
        let (mut attributes, mut flags) = (self.attributes.clone(), 1);
        if let Some([id, source, ty]) = &finished.identity {
            attributes.extend([
                text("cloudevents.event_id", id),
                text("cloudevents.event_source", source),
                text("cloudevents.event_type", ty),
                text("cloudevents.event_spec_version", "1.0"),
            ]);
        }
        attributes.push(text("cenl.position", &finished.position));
        attributes.push(text("cenl.verdict", verdict.map_or("refused", word)));
        let mut status = Status::default();
        if let Some((kind, cause)) = &trace.error {
            attributes.push(text("error.type", kind.word()));
            status.message = format!("{}: {cause}", kind.word());
            status.set_code(StatusCode::Error);
        }
        let trace_id = fastrand::u128(1..).to_be_bytes();
        if trace.parent.is_some() {
            flags |=
                SpanFlags::ContextHasIsRemoteMask as u32 | SpanFlags::ContextIsRemoteMask as u32;
        }
        let parent = trace.parent.as_ref();
        Span {
            trace_id: parent.map_or(trace_id, |it| it.trace_id).to_vec(),
            span_id: fastrand::u64(1..).to_be_bytes().to_vec(),
            parent_span_id: parent.map_or_else(Vec::new, |it| it.span_id.to_vec()),
            trace_state: parent.map_or_else(String::new, |it| it.state.clone()),
            flags,
            name: self.span.clone(),
            kind: self.kind as i32,
            start_time_unix_nano: nanoseconds(trace.taken),
            end_time_unix_nano: nanoseconds(finished.ended),
            attributes,
            events: trace.attempts.iter().map(event).collect(),
            dropped_events_count: trace.attempts_dropped,
            status: Some(status),
            ..Span::default()
        }
    }
}

fn event(attempt: &Attempt) -> Event {
    let took = Value::DoubleValue(attempt.took.as_secs_f64() * 1000.0);
    let mut attributes = vec![attribute("cenl.duration_ms", took)];
    if attempt.is_dead_letter {
        attributes.push(attribute("cenl.dead_letter", Value::BoolValue(true)));
    }
    if let Some(code) = attempt.status_code {
        let code = Value::IntValue(code.into());
        attributes.push(attribute("http.response.status_code", code));
    }
    if attempt.has_failed {
        let code = attempt.status_code.map(|code| code.to_string());
        attributes.push(text("error.type", code.as_deref().unwrap_or(attempt.word)));
    }
    Event {
        time_unix_nano: nanoseconds(attempt.began),
        name: "attempt".to_owned(),
        attributes,
        ..Event::default()
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

fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Delivered => "delivered",
        Verdict::Filtered => "filtered",
        Verdict::DeadLettered => "dead_lettered",
        Verdict::Discarded => "discarded",
    }
}

fn nanoseconds(time: Timestamp) -> u64 {
    u64::try_from(time.as_nanosecond()).unwrap_or_default()
}
