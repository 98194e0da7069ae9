//! A plan as people read it: `check-config` prints this.

use std::collections::BTreeMap;
use std::fmt;

use toml_edit::{Array, InlineTable, Value};

use super::{Plan, RoutePlan};
use crate::config::Words as _;
use crate::route::filter::Filter;
use crate::route::steps::OnError;
use crate::route::target::RecordKey;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = self.decoder.limits();
        writeln!(f, "admin              http://{}", self.admin.listen)?;
        writeln!(
            f,
            "log                {}, {}",
            self.log.format.word(),
            self.log.level.word()
        )?;
        writeln!(
            f,
            "limits             {} bytes per event, {} bytes or {} events per batch, \
             {} attributes, depth {}",
            limits.event_bytes,
            limits.batch_bytes,
            limits.batch_events,
            limits.attributes,
            limits.depth
        )?;
        writeln!(f, "buffered           {} bytes", self.buffered_bytes)?;
        writeln!(f, "shutdown deadline  {:?}", self.shutdown_deadline)?;
        for route in &self.routes {
            write!(f, "\n{route}")?;
        }
        Ok(())
    }
}

impl fmt::Display for RoutePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "route {}", self.name)?;
        for warning in &self.warnings {
            writeln!(f, "  warning      {warning}")?;
        }
        writeln!(f, "  from         {}", self.source.address())?;
        writeln!(f, "  to           {}", self.sink.address())?;
        write!(f, "  written as   {}", self.mode.word())?;
        if self.batch.events > 1 {
            write!(
                f,
                ", at most {} events or {} bytes",
                self.batch.events, self.batch.bytes
            )?;
        }
        writeln!(f)?;
        if self.sink.has_record_key() {
            match &self.record_key {
                RecordKey::Source => {
                    writeln!(f, "  record key   that of the source, else partitionkey")?
                }
                RecordKey::Attribute(name) => writeln!(f, "  record key   {name}")?,
                RecordKey::None => writeln!(f, "  record key   none")?,
            }
        }
        if !self.forward_headers.is_empty() {
            writeln!(f, "  forwards     {}", self.forward_headers.join(", "))?;
        }
        if let Some(filter) = &self.filter {
            writeln!(f, "  filter       {}", written(filter))?;
        }
        writeln!(f, "  order        {}", self.order.word())?;
        if self.source.has_waiting_sender() {
            return writeln!(f, "  on error     the sender is told");
        }
        match (self.on_error, &self.dead_letter) {
            (OnError::DeadLetter, Some(sink)) => {
                writeln!(f, "  on error     dead letter to {}", sink.address())?;
            }
            (OnError::Discard, _) => writeln!(f, "  on error     discard")?,
            (OnError::Hold | OnError::DeadLetter, _) => writeln!(f, "  on error     hold")?,
        }
        writeln!(
            f,
            "  in flight    {}, of a window of {} events or {} bytes per partition",
            self.in_flight_max, self.window.events, self.window.bytes
        )?;
        let retry = &self.retry;
        write!(
            f,
            "  retry        {:?} to {:?}",
            retry.initial, retry.maximum
        )?;
        match (retry.attempts_max, retry.age_max) {
            (None, None) => writeln!(f, ", without limit"),
            (Some(attempts), None) => writeln!(f, ", at most {attempts} attempts"),
            (None, Some(age)) => writeln!(f, ", for at most {age:?}"),
            (Some(attempts), Some(age)) => {
                writeln!(f, ", at most {attempts} attempts, for at most {age:?}")
            }
        }
    }
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
