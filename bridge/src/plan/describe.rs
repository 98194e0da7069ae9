//! A plan as people read it: `check-config` prints this.

use std::fmt;

use super::{Plan, RoutePlan};
use crate::route::steps::OnError;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let limits = &self.limits;
        writeln!(f, "admin              http://{}", self.admin.listen)?;
        writeln!(
            f,
            "log                {:?}, {:?}",
            self.log.format, self.log.level
        )?;
        writeln!(
            f,
            "limits             {} bytes per event, {} per batch, {} attributes, depth {}",
            limits.event_bytes, limits.batch_bytes, limits.attributes, limits.depth
        )?;
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
        writeln!(f, "  from         {}", self.source.address())?;
        writeln!(f, "  to           {}", self.sink.address())?;
        write!(f, "  written as   {:?}", self.mode)?;
        if self.parcel.events > 1 {
            write!(
                f,
                ", at most {} events or {} bytes",
                self.parcel.events, self.parcel.bytes
            )?;
        }
        writeln!(f)?;
        if self.sink.has_record_key() {
            writeln!(f, "  record key   {:?}", self.record_key)?;
        }
        if !self.forward_headers.is_empty() {
            writeln!(f, "  forwards     {}", self.forward_headers.join(", "))?;
        }
        if let Some(filter) = &self.filter {
            writeln!(f, "  filter       {filter:?}")?;
        }
        if self.source.has_waiting_sender() {
            return writeln!(f, "  on error     the sender is told");
        }
        match (self.on_error, &self.dead_letter) {
            (OnError::DeadLetter, Some(sink)) => {
                writeln!(f, "  on error     dead letter to {}", sink.address())?
            }
            (on_error, _) => writeln!(f, "  on error     {on_error:?}")?,
        }
        writeln!(f, "  order        {:?}", self.order)?;
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
