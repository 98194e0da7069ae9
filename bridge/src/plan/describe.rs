//! A plan as `check-config` prints it.

use std::collections::BTreeMap;
use std::fmt;

use toml_edit::{Array, InlineTable, Value};

use super::{Plan, RoutePlan};
use crate::config::Words as _;
use crate::delivery::window::Capacity;
use crate::route::filter::Filter;
use crate::route::in_flight::BatchLimits;
use crate::route::retry::RetryPolicy;
use crate::route::steps::OnError;
use crate::route::target::RecordKey;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (limits, log) = (self.decoder.limits(), &self.log);
        let bounds = format!(
            "{} bytes per event, {} bytes or {} events per batch, {} attributes, depth {}",
            limits.event_bytes,
            limits.batch_bytes,
            limits.batch_events,
            limits.attributes,
            limits.depth
        );
        for (name, value) in [
            ("admin", format!("http://{}", self.admin.listen)),
            ("log", format!("{}, {}", log.format.word(), log.level)),
            ("limits", bounds),
            ("buffered", format!("{} bytes", self.buffered_bytes)),
            ("shutdown deadline", format!("{:?}", self.shutdown_deadline)),
        ] {
            writeln!(f, "{name:<19}{value}")?;
        }
        let mut routes = self.routes.iter();
        routes.try_for_each(|route| write!(f, "\n{route}"))
    }
}

impl fmt::Display for RoutePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "route {}", self.name)?;
        let mut rows = self.rows().into_iter();
        rows.try_for_each(|(name, value)| writeln!(f, "  {name:<13}{value}"))
    }
}

impl RoutePlan {
    fn rows(&self) -> Vec<(&'static str, String)> {
        let warnings = self.warnings.iter();
        let mut rows: Vec<_> = warnings.map(|it| ("warning", it.clone())).collect();
        rows.push(("from", self.source.address().to_string()));
        rows.push(("to", self.sink.address().to_string()));
        let mut written_as = self.mode.word().to_owned();
        if self.batch.events > 1 {
            let BatchLimits { events, bytes } = self.batch;
            written_as += &format!(", at most {events} events or {bytes} bytes");
        }
        rows.push(("written as", written_as));
        if self.sink.has_record_key() {
            let key = match &self.record_key {
                RecordKey::Source => "that of the source, else partitionkey",
                RecordKey::Attribute(name) => name,
                RecordKey::None => "none",
            };
            rows.push(("record key", key.to_owned()));
        }
        if !self.forward_headers.is_empty() {
            rows.push(("forwards", self.forward_headers.join(", ")));
        }
        let filter = self.filter.iter();
        rows.extend(filter.map(|filter| ("filter", written(filter).to_string())));
        rows.push(("order", self.order.word().to_owned()));
        let has_waiting_sender = self.source.has_waiting_sender();
        let on_error = match (self.on_error, &self.dead_letter) {
            _ if has_waiting_sender => "the sender is told".to_owned(),
            (OnError::DeadLetter, Some(sink)) => format!("dead letter to {}", sink.address()),
            (OnError::Discard, _) => "discard".to_owned(),
            (OnError::Hold | OnError::DeadLetter, _) => "hold".to_owned(),
        };
        rows.push(("on error", on_error));
        if !has_waiting_sender {
            let Capacity { events, bytes } = self.window;
            let most = self.in_flight_max;
            let window = format!("{most}, of a window of {events} events or {bytes} bytes");
            rows.push(("in flight", format!("{window} per partition")));
            rows.push(("retry", retry(&self.retry)));
        }
        rows
    }
}

fn retry(policy: &RetryPolicy) -> String {
    let mut text = format!("{:?} to {:?}", policy.initial, policy.maximum);
    if let Some(attempts) = policy.attempts_max {
        text += &format!(", at most {attempts} attempts");
    }
    if let Some(age) = policy.age_max {
        text += &format!(", for at most {age:?}");
    }
    if policy.attempts_max.is_none() && policy.age_max.is_none() {
        text += ", without limit";
    }
    text
}

/// A filter as the settings write it.
fn written(filter: &Filter) -> Value {
    let texts = |wanted: &BTreeMap<String, String>| Value::from(InlineTable::from_iter(wanted));
    let list =
        |conditions: &[Filter]| Value::from(Array::from_iter(conditions.iter().map(written)));
    let (operator, operand) = match filter {
        Filter::Exact(wanted) => ("exact", texts(wanted)),
        Filter::Prefix(wanted) => ("prefix", texts(wanted)),
        Filter::Suffix(wanted) => ("suffix", texts(wanted)),
        Filter::All(conditions) => ("all", list(conditions)),
        Filter::Any(conditions) => ("any", list(conditions)),
        Filter::Not(condition) => ("not", written(condition)),
    };
    Value::from(InlineTable::from_iter([(operator, operand)]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::config::tests::toml;

    #[test]
    fn a_filter_is_written_as_the_settings_write_it() {
        for text in [
            r#"{ prefix = { type = "nl." } }"#,
            r#"{ all = [{ exact = { source = "urn:nl:a", type = "b" } }, { not = { suffix = { id = "\u0001é" } } }] }"#,
            r#"{ any = [{ prefix = { subject = 'a "quoted" \ text' } }] }"#,
        ] {
            let read = |text: &str| -> Filter {
                let text = format!("filter = {text}");
                toml(&text, |table| table.key("filter", "").required()).unwrap()
            };
            let filter = read(text);
            let shown = written(&filter).to_string();
            assert_eq!(shown, text);
            assert_eq!(read(&shown), filter);
        }
    }
}
