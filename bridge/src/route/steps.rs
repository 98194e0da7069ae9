//! Pure: the steps of the intake, once per message: decode, check, filter, encode.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use cloudevents_nl_codec::{ContentMode, Decoded, Decoder, Event};

use super::Now;
use super::check::{Check, OnViolation};
use super::dead_letter::Kind;
use super::filter::Filter;
use super::item::Item;
use super::retry::RetryPolicy;
use super::tally::Tally;
use super::target::{Order, Target, order_key};
use crate::delivery::window::Capacity;
use crate::delivery::{Received, Refusal};
use crate::outcome::{Next, Outcome, RefusedReason};
use crate::traces::RouteTraces;
use crate::traces::span::Parent;
use crate::transport::Outgoing;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    DeadLetter,
    /// Dropped and counted.
    Discard,
    /// Its lane waits for an operator.
    Hold,
    /// A waiting sender hears it.
    Refuse,
}

#[derive(Clone, Debug)]
pub struct RouteConfig {
    pub name: Arc<str>,
    pub logs_deliveries: bool,
    pub traces: Option<RouteTraces>,
    /// As the log shows it, without secrets.
    pub address: String,
    pub dead_letter_address: String,
    pub decoder: Decoder,
    pub check: Option<Check>,
    pub filter: Option<Filter>,
    pub target: Target,
    pub order: Order,
    pub retry: RetryPolicy,
    /// Statuses that are read otherwise than the table of outcomes says.
    pub outcomes: BTreeMap<u16, Next>,
    pub on_error: OnError,
    /// So many dead letters of refused events hold the route, unless one in ten is delivered; 0 never does.
    pub stop_after: usize,
    pub in_flight_max: usize,
    /// One event unless the mode is batched.
    pub batch: Capacity,
}

/// What the steps make of a message.
pub(super) struct Prepared {
    /// For the order, as far as it is known.
    pub(super) key: Option<Bytes>,
    pub(super) parent: Option<Box<Parent>>,
    /// Nothing where the filter refuses the event.
    pub(super) written: Result<Option<Outgoing>, Refusal>,
}

impl RouteConfig {
    pub(super) fn prepare(&self, received: &Received, now: Now, tally: &mut Tally) -> Prepared {
        let (event, mode) = match self.decode(received) {
            Ok(decoded) => decoded,
            Err(refusal) => {
                return Prepared {
                    key: received.key.clone(),
                    parent: None,
                    written: Err(refusal),
                };
            }
        };
        let is_ordered = self.order == Order::Key;
        let traces = self.traces.as_ref();
        Prepared {
            key: is_ordered.then(|| order_key(&event, received)).flatten(),
            parent: traces.and_then(|_| Parent::of(&event)).map(Box::new),
            written: self.write(&event, mode, received, now, tally),
        }
    }

    fn decode<'a>(&self, received: &'a Received) -> Result<(Event<'a>, ContentMode), Refusal> {
        let unreadable = |defect| {
            let outcome = Outcome::Refused(RefusedReason::Other(defect));
            Err(Refusal::ByDestination(outcome))
        };
        if let Some(defect) = received.defect {
            return unreadable(defect);
        }
        let decoded = received.decode(&self.decoder);
        match decoded.map_err(Refusal::Undecodable)? {
            Decoded::Structured(event) => Ok((event, ContentMode::Structured)),
            Decoded::Binary(mut event) => {
                if !self.target.writes_binary(&event, ContentMode::Binary) {
                    let judged = self.decoder.judge_data(&mut event);
                    judged.map_err(Refusal::Undecodable)?;
                }
                Ok((event, ContentMode::Binary))
            }
            Decoded::Batch(_) => unreadable("batch"),
        }
    }

    /// Violations are counted, whatever becomes of the event.
    fn write(
        &self,
        event: &Event<'_>,
        mode: ContentMode,
        received: &Received,
        now: Now,
        tally: &mut Tally,
    ) -> Result<Option<Outgoing>, Refusal> {
        if let Some(check) = &self.check
            && let Some(violations) = check.violations(received, now.wall)
        {
            for rule in violations.rules() {
                *tally.violations.entry(rule).or_default() += 1;
            }
            if check.on_violation != OnViolation::Count {
                return Err(Refusal::Violating(violations));
            }
        }
        let filter = self.filter.as_ref();
        if filter.is_some_and(|filter| !filter.matches(event)) {
            return Ok(None);
        }
        let outgoing = self.target.write(event, received, mode);
        let outgoing = outgoing.map_err(Refusal::Unwritable)?;
        for attribute in event.irregular() {
            *tally.irregular.entry(attribute.into()).or_default() += 1;
        }
        Ok(Some(outgoing))
    }

    /// Before the event is settled, or refused to its sender.
    pub(super) fn end_span(&self, item: &mut Item, verdict: &str, now: Now) {
        if let Some((span, traces)) = item.span.take().zip(self.traces.as_ref()) {
            let received = &item.delivery.received;
            let identity = received.identity(&self.decoder);
            traces.offer(span.end(identity, &received.position, verdict, now.wall));
        }
    }
}

/// What is wrong and where, never any of the content.
pub(super) fn kind_and_status(refusal: &Refusal) -> (Kind, String) {
    match refusal {
        Refusal::Undecodable(error) => (Kind::Undecodable, error.to_string()),
        Refusal::Unwritable(error) => (Kind::Unwritable, error.to_string()),
        Refusal::Violating(violations) => (Kind::Profile, violations.listed()),
        Refusal::ByDestination(outcome) => (Kind::Undecodable, outcome.status()),
    }
}

#[cfg(test)]
mod tests;
