//! What people read in the log: each change once, and a summary a minute while something stays.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::breaker::Circuit;
use super::check::OnViolation;
use super::dead_letter::Kind;
use super::item::Stage;
use super::retry::MOST_BETWEEN_PROBES;
use super::steps::{OnError, RouteConfig};
use super::{Endpoint, Now, Route};
use crate::delivery::Received;
use crate::outcome::{CONSENT_PENDING, Next, Outcome};

const PERIOD: Duration = Duration::from_secs(60);
/// Events that are named, until there is none for a minute.
const NAMED_MAX: u32 = 5;
const CAUSES_MAX: usize = 16;
pub(crate) const REFUSES_ALL: &str = "correct the receiver, or how it is sent events: the hold ends when it \
                           takes one; replay sends what it refused before, unless on_error has it discarded";
/// Of events under `on_error = "hold"`.
pub(crate) const EVENTS_HELD: &str = "correct the receiver and order retry now; for what can never \
                           be delivered, reload with a place for dead letters, or with on_error = discard";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Failure {
    Unavailable,
    RefusesUs,
    RefusesAll,
    Retired,
    DeadLetters,
}

/// What keeps events from being delivered, or dead letters from being written, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Outage {
    pub end: Stage,
    pub cause: String,
    pub remedy: Cow<'static, str>,
    pub since: Timestamp,
    /// Until when it asked to be sent nothing.
    pub retry_after: Option<Timestamp>,
}

/// From when it is sure that the circuit is open, until it closes.
#[derive(Debug)]
pub(super) struct OutageLog {
    shown: Outage,
    since: Duration,
    summed_up: Duration,
    /// Since the last summary.
    failures: u64,
    /// Nothing waited at the last summary, and nothing had failed before it.
    is_idle: bool,
    /// Those that were logged.
    causes: BTreeSet<(Failure, String)>,
}

// One line for each, so that it reads as a table.
impl OutageLog {
    #[rustfmt::skip]
    fn log(&self, failure: Failure, address: &str, next: &str) {
        let (cause, remedy) = (&self.shown.cause, &*self.shown.remedy);
        match failure {
            Failure::Unavailable => tracing::warn!(address, cause, next, remedy, "destination is unavailable, circuit open"),
            Failure::RefusesUs => tracing::error!(address, cause, next, remedy, "destination refuses us, circuit open"),
            Failure::RefusesAll => tracing::error!(address, cause, next, remedy, "destination refuses every event, route is held"),
            Failure::Retired => tracing::error!(address, cause, next, remedy, "destination is retired, route is stopped"),
            Failure::DeadLetters => tracing::error!(address, cause, next, remedy, "dead letter cannot be written"),
        }
    }
}

impl Endpoint {
    pub(super) fn announce(&mut self, outcome: &Outcome, next: Next, now: Now) {
        let failure = match (self.breaker.circuit(), next) {
            (Circuit::Closed, _) => return self.recovered(now.elapsed),
            (Circuit::Retired, Next::Gone) => Failure::Retired,
            (Circuit::Retired, _) => return,
            (_, Next::DeadLetter) if self.breaker.refuses_all() => Failure::RefusesAll,
            (_, Next::Delivered | Next::DeadLetter) => return,
            // Before a probe confirms it, an open circuit may be a single event's.
            _ if !self.breaker.is_confirmed() => return,
            _ if self.stage == Stage::DeadLetter => Failure::DeadLetters,
            (_, Next::Refused | Next::Gone) => Failure::RefusesUs,
            (_, Next::Retry | Next::Unavailable) => Failure::Unavailable,
        };
        self.note(failure, outcome, now);
    }

    /// Logs a cause that is new.
    fn note(&mut self, failure: Failure, outcome: &Outcome, now: Now) {
        let outage = self.outage.get_or_insert_with(|| OutageLog {
            shown: Outage {
                end: self.stage,
                cause: String::new(),
                remedy: Cow::default(),
                since: now.wall,
                retry_after: None,
            },
            since: now.elapsed,
            summed_up: now.elapsed,
            failures: 0,
            is_idle: false,
            causes: BTreeSet::new(),
        });
        outage.failures += 1;
        outage.is_idle = false;
        outage.shown.cause = outcome.cause();
        outage.shown.remedy = match failure {
            Failure::RefusesAll => REFUSES_ALL.into(),
            _ => outcome.remedy().into(),
        };
        let wait = self.breaker.opens_at().saturating_sub(now.elapsed);
        let is_asked = wait > MOST_BETWEEN_PROBES;
        outage.shown.retry_after = now.wall.checked_add(wait).ok().filter(|_| is_asked);
        let has_room = outage.causes.len() < CAUSES_MAX || failure == Failure::Retired;
        if !has_room || !outage.causes.insert((failure, outcome.cause())) {
            return;
        }
        let next = match failure {
            Failure::Retired => "nothing is sent until the route starts anew".to_owned(),
            _ if *outcome == Outcome::NoConsent(CONSENT_PENDING) => {
                "it is asked again now and then and may call back, the others wait".to_owned()
            }
            _ if is_asked => {
                let wait = wait.as_secs();
                format!("it asked for {wait} s, then one event probes it, the others wait")
            }
            _ => "one event probes it every 2 s at most, the others wait".to_owned(),
        };
        outage.log(failure, &self.address, &next);
    }

    #[rustfmt::skip]
    fn recovered(&mut self, now: Duration) {
        let Some(outage) = self.outage.take() else {
            return;
        };
        let for_s = now.saturating_sub(outage.since).as_secs();
        let address = &self.address;
        match self.stage {
            Stage::DeadLetter => tracing::info!(address, for_s, "dead letters are written again"),
            Stage::Sink => tracing::info!(address, for_s, "destination takes events again, circuit closed"),
        }
    }

    #[rustfmt::skip]
    fn sum_up(&mut self, waiting: usize, now: Duration) {
        let Some(outage) = &mut self.outage else {
            return;
        };
        if now.saturating_sub(outage.summed_up) < PERIOD {
            return;
        }
        outage.summed_up = now;
        let failures = std::mem::take(&mut outage.failures);
        // Then only the next event tells whether it still fails.
        outage.is_idle = waiting == 0 && failures == 0
            && self.breaker.circuit() != Circuit::Retired && !self.breaker.refuses_all();
        if outage.is_idle {
            return;
        }
        let for_s = now.saturating_sub(outage.since).as_secs();
        let (address, cause, remedy) = (&self.address, &outage.shown.cause, &*outage.shown.remedy);
        match self.stage {
            Stage::DeadLetter => tracing::error!(address, cause, failures, waiting, for_s, remedy, "dead letters still cannot be written"),
            Stage::Sink => tracing::warn!(address, cause, failures, waiting, for_s, remedy, "destination still takes nothing"),
        }
    }
}

impl Route {
    /// Why it is held: its destination refuses every event.
    pub fn hold(&self) -> Option<String> {
        let outage = self.sink.outage.as_ref();
        let outage = outage.filter(|_| self.sink.breaker.refuses_all())?;
        let (address, cause) = (&self.sink.address, &outage.shown.cause);
        Some(format!(
            "held, {address} refuses every event ({cause}): {REFUSES_ALL}"
        ))
    }

    /// An open circuit keeps nothing from being delivered while nothing comes.
    pub fn outages(&self) -> Vec<Outage> {
        let outages = [&self.sink, &self.dead_letters].map(|end| end.outage.as_ref());
        let outages = outages.into_iter().flatten().filter(|it| !it.is_idle);
        outages.map(|outage| outage.shown.clone()).collect()
    }

    /// Counts the refused events that no line has named, and those that violate the profile.
    pub fn sum_up_events(&mut self) {
        self.refused.sum_up();
        self.tell_violations();
    }

    /// Once a minute.
    pub(super) fn sum_up(&mut self, now: Duration) {
        let waiting = self.lanes.events();
        self.sink.sum_up(waiting, now);
        self.dead_letters.sum_up(waiting, now);
        if now.saturating_sub(self.summed_up) < PERIOD {
            return;
        }
        self.summed_up = now;
        self.sum_up_events();
        if self.is_paused {
            tracing::warn!(waiting, "route is still paused by an operator");
        }
        // How many wait for an operator, and the first of them.
        if let Some(item) = self.lanes.held().next() {
            let (held, received) = (self.events_held(), &item.delivery.received);
            let position = &received.position;
            let [id, source, r#type] = received.identity(&self.config.decoder);
            tracing::error!(
                held, id, source, r#type, %position, remedy = EVENTS_HELD,
                "events are still held, each with its key; this is one of them"
            );
        }
    }

    /// Of events that violate the profile and go on: those that do not are refused events.
    fn tell_violations(&mut self) {
        let check = self.config.check.as_ref();
        let Some(check) = check.filter(|check| check.on_violation == OnViolation::Count) else {
            return;
        };
        let untold = self.tally.violations.iter().map(|(rule, count)| {
            let told = self.violations_told.get(rule).unwrap_or(&0);
            (*rule, count - told)
        });
        let rules = listed(untold.filter(|(_, count)| *count > 0));
        if !rules.is_empty() {
            let profile = check.checker.profile().name();
            tracing::warn!(profile, rules, "events violate the profile, and go on");
            self.violations_told.clone_from(&self.tally.violations);
        }
    }
}

/// Those of the last minute that can never be delivered: the first are named, the rest counted.
#[derive(Debug, Default)]
pub(super) struct RefusedEvents {
    named: u32,
    unnamed: u64,
    /// By kind.
    counts: BTreeMap<&'static str, u64>,
    status: String,
}

impl RefusedEvents {
    pub(super) fn note(
        &mut self,
        config: &RouteConfig,
        received: &Received,
        kind: Kind,
        status: &str,
    ) {
        let kind = kind.word();
        *self.counts.entry(kind).or_default() += 1;
        status.clone_into(&mut self.status);
        if self.named == NAMED_MAX {
            self.unnamed += 1;
            return;
        }
        self.named += 1;
        let position = &received.position;
        let [id, source, r#type] = received.identity(&config.decoder);
        if config.on_error == OnError::Hold {
            tracing::error!(
                kind, status, %position, id, source, r#type, remedy = EVENTS_HELD,
                "event cannot be delivered, it is held with its key"
            );
        } else if config.on_error == OnError::Discard {
            tracing::warn!(
                kind, status, %position, id, source, r#type,
                "event cannot be delivered, it is discarded"
            );
        } else {
            tracing::warn!(
                kind, status, %position, id, source, r#type,
                "event cannot be delivered"
            );
        }
    }

    fn sum_up(&mut self) {
        let mut next = Self::default();
        if self.unnamed > 0 {
            // Names go on being left out as long as there are more.
            next.named = self.named;
            let counts = listed(self.counts.iter().map(|(kind, count)| (*kind, *count)));
            let status = &self.status;
            tracing::warn!(
                counts,
                status,
                "events that could not be delivered within a minute"
            );
        }
        *self = next;
    }
}

fn listed(counts: impl Iterator<Item = (&'static str, u64)>) -> String {
    let counts = counts.map(|(what, count)| format!("{count} {what}"));
    Vec::from_iter(counts).join(", ")
}
