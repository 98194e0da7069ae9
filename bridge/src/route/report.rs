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
use super::steps::RouteConfig;
use super::{Endpoint, Now, Route};
use crate::delivery::Received;
use crate::outcome::{CONSENT_PENDING, Next, Outcome};

const PERIOD: Duration = Duration::from_secs(60);
/// Events that are named, until there is none for a minute.
const NAMED_MAX: u32 = 5;
const CAUSES_MAX: usize = 16;
pub(crate) const REFUSES_ALL: &str = "correct the receiver, or how it is sent events: the hold ends when it \
                           takes one, and replay sends what became a dead letter before";
/// Of events under `on_error = "hold"`.
pub(crate) const EVENTS_HELD: &str = "correct the receiver and order retry now; for what can never \
                           be delivered, reload with a place for dead letters, or with on_error = discard";

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Failure {
    Unavailable,
    RefusesUs,
    RefusesAll,
    DeadLetters,
}

/// Which end of a route fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum End {
    Sink,
    DeadLetter,
}

/// What keeps events from being delivered, or dead letters from being written, for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    pub end: End,
    pub cause: String,
    pub remedy: Cow<'static, str>,
    pub since: Timestamp,
}

/// From when it is sure that the circuit is open, until it closes.
#[derive(Debug)]
pub(super) struct OutageLog {
    since: Duration,
    since_wall: Timestamp,
    summed_up: Duration,
    /// Since the last summary.
    failures: u64,
    /// Those that were logged.
    causes: BTreeSet<(Failure, String)>,
    cause: String,
    remedy: &'static str,
}

// One line for each, so that it reads as a table.
impl OutageLog {
    fn go_on<'a>(outage: &'a mut Option<Self>, outcome: &Outcome, now: Now) -> &'a mut Self {
        let outage = outage.get_or_insert_with(|| Self {
            since: now.elapsed,
            since_wall: now.wall,
            summed_up: now.elapsed,
            failures: 0,
            causes: BTreeSet::new(),
            cause: String::new(),
            remedy: "",
        });
        outage.failures += 1;
        (outage.cause, outage.remedy) = (outcome.cause(), outcome.remedy());
        outage
    }

    #[rustfmt::skip]
    fn log(&self, failure: Failure, address: &str, next: &str) {
        let Self { cause, remedy, .. } = self;
        match failure {
            Failure::Unavailable => tracing::warn!(address, cause, next, remedy, "destination is unavailable, circuit open"),
            Failure::RefusesUs => tracing::error!(address, cause, next, remedy, "destination refuses us, circuit open"),
            Failure::RefusesAll => tracing::error!(address, cause, next, remedy, "destination refuses every event, route is held"),
            Failure::DeadLetters => tracing::error!(address, cause, next, remedy, "dead letter cannot be written"),
        }
    }
}

impl Endpoint {
    /// Before a probe confirms it, an open circuit may be a single event's.
    fn failure(&self, stage: Stage, next: Next) -> Option<Failure> {
        let is_sure = self.breaker.is_confirmed();
        match next {
            Next::DeadLetter if self.breaker.refuses_all() => Some(Failure::RefusesAll),
            Next::Delivered | Next::DeadLetter => None,
            _ if !is_sure => None,
            _ if stage == Stage::DeadLetter => Some(Failure::DeadLetters),
            Next::Refused | Next::Gone => Some(Failure::RefusesUs),
            Next::Retry | Next::Unavailable => Some(Failure::Unavailable),
        }
    }

    /// Logs a cause that is new.
    fn note(&mut self, failure: Failure, outcome: &Outcome, now: Now) {
        let outage = OutageLog::go_on(&mut self.outage, outcome, now);
        if failure == Failure::RefusesAll {
            outage.remedy = REFUSES_ALL;
        }
        let cause = (failure, outage.cause.clone());
        if outage.causes.len() >= CAUSES_MAX || !outage.causes.insert(cause) {
            return;
        }
        let wait = self.breaker.opens_at().saturating_sub(now.elapsed);
        let next = match wait.as_secs() {
            _ if *outcome == Outcome::NoConsent(CONSENT_PENDING) => {
                "it is asked again now and then and may call back, nothing is lost".to_owned()
            }
            0..=2 => "one event probes it every 2 s at most, nothing is lost".to_owned(),
            wait => format!("it asked for {wait} s, then one event probes it, nothing is lost"),
        };
        outage.log(failure, &self.address, &next);
    }

    #[rustfmt::skip]
    fn recovered(&mut self, stage: Stage, now: Duration) {
        let Some(outage) = self.outage.take() else {
            return;
        };
        let for_s = now.saturating_sub(outage.since).as_secs();
        let address = &self.address;
        match stage {
            Stage::DeadLetter => tracing::info!(address, for_s, "dead letters are written again"),
            _ => tracing::info!(address, for_s, "destination takes events again, circuit closed"),
        }
    }

    #[rustfmt::skip]
    fn sum_up(&mut self, stage: Stage, waiting: usize, now: Duration) {
        let Some(outage) = &mut self.outage else {
            return;
        };
        if now.saturating_sub(outage.summed_up) < PERIOD {
            return;
        }
        outage.summed_up = now;
        let failures = std::mem::take(&mut outage.failures);
        let for_s = now.saturating_sub(outage.since).as_secs();
        let (address, cause, remedy) = (&self.address, &outage.cause, outage.remedy);
        match stage {
            Stage::DeadLetter => tracing::error!(address, cause, failures, waiting, for_s, remedy, "dead letters still cannot be written"),
            _ => tracing::warn!(address, cause, failures, waiting, for_s, remedy, "destination still takes nothing"),
        }
    }
}

impl Route {
    pub(super) fn announce(&mut self, stage: Stage, outcome: &Outcome, next: Next, now: Now) {
        let endpoint = self.endpoint(stage);
        match endpoint.breaker.circuit() {
            Circuit::Closed => endpoint.recovered(stage, now.elapsed),
            Circuit::Retired => {}
            Circuit::Open | Circuit::HalfOpen => {
                if let Some(failure) = endpoint.failure(stage, next) {
                    endpoint.note(failure, outcome, now);
                }
            }
        }
    }

    pub(super) fn announce_retired(&mut self, outcome: &Outcome, now: Now) {
        OutageLog::go_on(&mut self.sink.outage, outcome, now);
        tracing::error!(
            address = self.sink.address,
            cause = outcome.cause(),
            next = "nothing is sent until the route starts anew",
            remedy = outcome.remedy(),
            "destination is retired, route is stopped"
        );
    }

    /// Why it is held: its destination refuses every event.
    pub fn hold(&self) -> Option<String> {
        let outage = self.sink.outage.as_ref();
        let outage = outage.filter(|_| self.sink.breaker.refuses_all())?;
        let (address, cause) = (&self.sink.address, &outage.cause);
        Some(format!(
            "held, {address} refuses every event ({cause}): {REFUSES_ALL}"
        ))
    }

    pub fn outages(&self) -> Vec<Outage> {
        let (sink, letters) = (&self.sink, &self.dead_letters);
        let ends = [(End::Sink, sink), (End::DeadLetter, letters)];
        let outages = ends.into_iter().filter_map(|(end, endpoint)| {
            let outage = endpoint.outage.as_ref()?;
            Some(Outage {
                end,
                cause: outage.cause.clone(),
                remedy: outage.remedy.into(),
                since: outage.since_wall,
            })
        });
        outages.collect()
    }

    /// Counts the refused events that no line has named.
    pub fn sum_up_at_the_end(&self) {
        self.refused.tell();
        self.violations.tell(&self.config, &self.tally.violations);
    }

    /// Once a minute.
    pub(super) fn sum_up(&mut self, now: Duration) {
        let waiting = self.lanes.events();
        self.refused.sum_up(now);
        let counts = &self.tally.violations;
        self.violations.sum_up(&self.config, counts, now);
        if self.is_paused && now.saturating_sub(self.pause_summed_up) >= PERIOD {
            self.pause_summed_up = now;
            tracing::warn!(waiting, "route is still paused by an operator");
        }
        if now.saturating_sub(self.held_summed_up) >= PERIOD {
            self.held_summed_up = now;
            self.tell_held();
        }
        self.sink.sum_up(Stage::Sink, waiting, now);
        self.dead_letters.sum_up(Stage::DeadLetter, waiting, now);
    }

    /// How many wait for an operator, and the first of them.
    fn tell_held(&self) {
        let Some(item) = self.lanes.held().next() else {
            return;
        };
        let (held, received) = (self.events_held(), &item.delivery.received);
        let position = &received.position;
        let [id, source, r#type] = self.config.identity(received);
        tracing::error!(
            held, id, source, r#type, %position, remedy = EVENTS_HELD,
            "events are still held, each with its key; this is one of them"
        );
    }
}

/// Those of the last minute that can never be delivered: the first are named, the rest counted.
#[derive(Debug, Default)]
pub(super) struct RefusedEvents {
    since: Duration,
    named: u32,
    unnamed: u64,
    counts: [u64; Kind::ALL.len()],
    status: String,
}

impl RefusedEvents {
    pub(super) fn note(
        &mut self,
        config: &RouteConfig,
        received: &Received,
        kind: Kind,
        status: &str,
        now: Duration,
    ) {
        if self.counts.iter().all(|count| *count == 0) {
            self.since = now;
        }
        self.counts[kind as usize] += 1;
        status.clone_into(&mut self.status);
        if self.named == NAMED_MAX {
            self.unnamed += 1;
            return;
        }
        self.named += 1;
        let [id, source, r#type] = config.identity(received);
        if config.holds() {
            tracing::error!(
                kind = kind.word(), status, position = %received.position, id, source, r#type,
                remedy = EVENTS_HELD,
                "event cannot be delivered, it is held with its key"
            );
            return;
        }
        tracing::warn!(
            kind = kind.word(), status, position = %received.position, id, source, r#type,
            "event cannot be delivered"
        );
    }

    fn sum_up(&mut self, now: Duration) {
        if now.saturating_sub(self.since) < PERIOD {
            return;
        }
        self.tell();
        // Names go on being left out as long as there are more.
        let named = if self.unnamed > 0 { self.named } else { 0 };
        *self = Self {
            since: now,
            named,
            ..Self::default()
        };
    }

    fn tell(&self) {
        if self.unnamed > 0 {
            let counts = Kind::ALL.map(|kind| (kind.word(), self.counts[kind as usize]));
            let counts = counts.iter().filter(|(_, count)| *count > 0);
            let counts: Vec<_> = counts.map(|(kind, it)| format!("{it} {kind}")).collect();
            let (counts, status) = (counts.join(", "), &self.status);
            tracing::warn!(
                counts,
                status,
                "events that could not be delivered within a minute"
            );
        }
    }
}

/// Of events that violate the profile and go on: those that do not are refused events.
#[derive(Debug, Default)]
pub(super) struct ViolationLog {
    summed_up: Duration,
    /// By rule, until then.
    told: BTreeMap<&'static str, u64>,
}

impl ViolationLog {
    fn sum_up(
        &mut self,
        config: &RouteConfig,
        counts: &BTreeMap<&'static str, u64>,
        now: Duration,
    ) {
        if now.saturating_sub(self.summed_up) >= PERIOD && self.told != *counts {
            self.tell(config, counts);
            self.told.clone_from(counts);
            self.summed_up = now;
        }
    }

    fn tell(&self, config: &RouteConfig, counts: &BTreeMap<&'static str, u64>) {
        let check = config.check.as_ref();
        let Some(check) = check.filter(|check| check.on_violation == OnViolation::Count) else {
            return;
        };
        let untold = counts.iter().filter_map(|(rule, count)| {
            let untold = count - self.told.get(rule).unwrap_or(&0);
            (untold > 0).then(|| format!("{untold} {rule}"))
        });
        let rules = untold.collect::<Vec<_>>().join(", ");
        if !rules.is_empty() {
            let profile = check.checker.profile().name();
            tracing::warn!(profile, rules, "events violate the profile, and go on");
        }
    }
}
