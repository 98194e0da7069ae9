//! Pure: the steps of the intake, once per message: decode, check, filter, encode.

use std::collections::BTreeMap;

use bytes::Bytes;
use cloudevents_nl_codec::{ContentMode, Decoded, Decoder, Event};

use super::Now;
use super::check::{Check, OnViolation};
use super::dead_letter::Kind;
use super::filter::Filter;
use super::in_flight::BatchLimits;
use super::retry::RetryPolicy;
use super::tally::Tally;
use super::target::{Order, Target, order_key};
use crate::delivery::{Received, Refusal};
use crate::outcome::{Next, Outcome, RefusedReason};
use crate::traces::RouteTraces;
use crate::traces::span::{EventSpan, Parent};
use crate::transport::Outgoing;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    DeadLetter,
    /// Dropped and counted.
    Discard,
    /// Its lane waits for an operator.
    Hold,
}

#[derive(Debug)]
pub struct RouteConfig {
    pub name: String,
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
    /// A waiting sender hears of refusals, where others get dead letters.
    pub has_waiting_sender: bool,
    pub retry: RetryPolicy,
    /// Statuses that are read otherwise than the table of outcomes says.
    pub outcomes: BTreeMap<u16, Next>,
    pub on_error: OnError,
    /// So many dead letters of refused events hold the route, unless one in ten is delivered; 0 never does.
    pub stop_after: usize,
    pub in_flight_max: usize,
    /// One event unless the mode is batched.
    pub batch: BatchLimits,
}

#[derive(Debug)]
pub(super) struct Rejection {
    pub(super) refusal: Refusal,
    /// Orders its dead letter, as far as it is known.
    pub(super) key: Option<Bytes>,
    pub(super) parent: Option<Box<Parent>>,
}

pub(super) struct Prepared {
    pub(super) outgoing: Outgoing,
    /// For the order.
    pub(super) key: Option<Bytes>,
    /// Attributes without the form of their type.
    pub(super) irregular: Vec<Box<str>>,
    pub(super) parent: Option<Box<Parent>>,
}

impl RouteConfig {
    /// `None` is an event that the filter refuses. Violations are counted, whatever becomes of the event.
    pub(super) fn prepare(
        &self,
        received: &Received,
        now: Now,
        tally: &mut Tally,
    ) -> Result<Option<Prepared>, Rejection> {
        let reject = |refusal| Rejection {
            refusal,
            key: received.key.clone(),
            parent: None,
        };
        let unreadable = |defect| {
            let outcome = Outcome::Refused(RefusedReason::Other(defect));
            reject(Refusal::ByDestination(outcome))
        };
        let undecodable = |error| reject(Refusal::Undecodable(error));
        if let Some(defect) = received.defect {
            return Err(unreadable(defect));
        }
        match received.decode(&self.decoder).map_err(undecodable)? {
            Decoded::Structured(event) => {
                self.check(&event, received, now, tally)?;
                self.write(&event, received, ContentMode::Structured)
            }
            Decoded::Binary(mut event) => {
                if !self.target.writes_binary(&event, ContentMode::Binary) {
                    let judged = self.decoder.judge_data(&mut event);
                    judged.map_err(undecodable)?;
                }
                self.check(&event, received, now, tally)?;
                self.write(&event, received, ContentMode::Binary)
            }
            Decoded::Batch(_) => Err(unreadable("batch")),
        }
    }

    /// What cannot be delivered, where no sender waits for it.
    pub(super) fn holds(&self) -> bool {
        self.on_error == OnError::Hold && !self.has_waiting_sender
    }

    pub(super) fn identity(&self, received: &Received) -> [Option<String>; 3] {
        received.identity(&self.decoder)
    }

    /// Before the event is settled, or refused to its sender.
    pub(super) fn end_span(
        &self,
        span: Option<EventSpan>,
        received: &Received,
        verdict: &str,
        now: Now,
    ) {
        if let Some((span, traces)) = span.zip(self.traces.as_ref()) {
            let identity = self.identity(received);
            traces.offer(span.end(identity, &received.position, verdict, now.wall));
        }
    }

    fn check(
        &self,
        event: &Event<'_>,
        received: &Received,
        now: Now,
        tally: &mut Tally,
    ) -> Result<(), Rejection> {
        if let Some(check) = &self.check
            && let Some(violations) = check.violations(received, now.wall)
        {
            tally.count_violations(&violations);
            if check.on_violation != OnViolation::Count {
                let refusal = Refusal::Violating(violations);
                return Err(self.rejection(refusal, event, received));
            }
        }
        Ok(())
    }

    fn write(
        &self,
        event: &Event<'_>,
        received: &Received,
        received_mode: ContentMode,
    ) -> Result<Option<Prepared>, Rejection> {
        if let Some(filter) = &self.filter
            && !filter.matches(event)
        {
            return Ok(None);
        }
        match self.target.write(event, received, received_mode) {
            Ok(outgoing) => Ok(Some(Prepared {
                outgoing,
                key: self.order_key(event, received),
                irregular: event.irregular().map(Into::into).collect(),
                parent: self.parent(event),
            })),
            Err(error) => Err(self.rejection(Refusal::Unwritable(error), event, received)),
        }
    }

    fn rejection(&self, refusal: Refusal, event: &Event<'_>, received: &Received) -> Rejection {
        Rejection {
            refusal,
            key: self.order_key(event, received),
            parent: self.parent(event),
        }
    }

    fn order_key(&self, event: &Event<'_>, received: &Received) -> Option<Bytes> {
        let is_ordered = self.order == Order::Key;
        is_ordered.then(|| order_key(event, received)).flatten()
    }

    fn parent(&self, event: &Event<'_>) -> Option<Box<Parent>> {
        let traces = self.traces.as_ref();
        traces.and_then(|_| Parent::of(event)).map(Box::new)
    }
}

impl Rejection {
    /// What is wrong and where, never any of the content.
    pub(super) fn kind_and_status(&self) -> (Kind, String) {
        match &self.refusal {
            Refusal::Undecodable(error) => (Kind::Undecodable, error.to_string()),
            Refusal::Unwritable(error) => (Kind::Unwritable, error.to_string()),
            Refusal::Violating(violations) => (Kind::Profile, violations.listed()),
            Refusal::ByDestination(outcome) => (Kind::Undecodable, outcome.status()),
        }
    }
}

#[cfg(test)]
mod tests;
