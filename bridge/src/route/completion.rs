//! Pure: from the outcome of a flight to the next step of its events, and of the endpoint.

use std::rc::Rc;
use std::time::Duration;

use super::breaker::{Circuit, Failure};
use super::dead_letter::{Kind, take_time_aside};
use super::item::{Item, Stage};
use super::lanes::{Flight, Then};
use super::steps::OnError;
use super::{Endpoint, Now, Route};
use crate::delivery::{Refusal, Verdict};
use crate::outcome::{Next, Outcome, RefusedReason};

impl Route {
    /// Hears what became of a flight.
    pub fn complete(&mut self, flight: Flight, outcome: &Outcome, now: Now) {
        let took = now.elapsed.saturating_sub(flight.started);
        self.tally.attempt(flight.stage, outcome, took);
        let endpoint = self.endpoint(flight.stage);
        endpoint.in_flight -= 1;
        if flight.is_probe {
            endpoint.breaker.set_probing(false);
        }
        if flight.stage == Stage::DeadLetter {
            return self.complete_dead_letter(&flight, outcome, now);
        }
        let next = outcome.next_on(&self.instructions.outcomes);
        self.complete_delivery(&flight, outcome, next, now);
        self.announce(outcome, next);
        self.let_go_when_retired(now);
    }

    fn complete_delivery(&mut self, flight: &Flight, outcome: &Outcome, next: Next, now: Now) {
        let is_gone = next == Next::Gone && self.is_confirmed_gone(flight, now);
        match next {
            Next::Delivered => {
                self.sink.limit.grow(self.sink.in_flight + 1);
                self.settle(flight, Verdict::Delivered);
                self.answered(flight, true, now);
            }
            Next::DeadLetter => self.refused(flight, outcome, now),
            // A sender that waits hears it at once, and others find out for themselves.
            Next::Refused | Next::Gone if self.lanes.is_request(flight) => {
                self.refused(flight, outcome, now);
            }
            Next::Gone if is_gone => {
                self.lanes
                    .put_back(flight, Then::Ready, |item| item.fail(now));
            }
            Next::Retry | Next::Unavailable | Next::Refused | Next::Gone => {
                self.failed(flight, outcome, next, now);
            }
        }
        if is_gone {
            let (route, status) = (&self.instructions.name, outcome.status());
            tracing::error!(route, status, "destination is retired, route is stopped");
            self.sink.breaker.retire();
        }
    }

    /// Whether the endpoint is gone for good, which an event of this flight says.
    fn is_confirmed_gone(&mut self, flight: &Flight, now: Now) -> bool {
        let breaker = &mut self.sink.breaker;
        let since = breaker.gone_since();
        let said_it = self
            .lanes
            .items(flight)
            .any(|item| item.gone_since == since);
        breaker.says_gone(since.filter(|_| said_it), now.elapsed)
    }

    fn endpoint(&mut self, stage: Stage) -> &mut Endpoint {
        match stage {
            Stage::DeadLetter => &mut self.dead_letters,
            Stage::Sink | Stage::Parked => &mut self.sink,
        }
    }

    fn settle(&mut self, flight: &Flight, verdict: Verdict) {
        let tally = &mut self.tally;
        self.lanes
            .settle(flight, |item| tally.settle(item.delivery, verdict));
    }

    /// The endpoint took the events of a flight, or refused one for what it is.
    fn answered(&mut self, flight: &Flight, is_delivery: bool, now: Now) {
        let breaker = &mut self.endpoint(flight.stage).breaker;
        if let Some(opened_at) = breaker.answered(flight.started, now.elapsed, is_delivery) {
            for failed in self.lanes.close(flight.stage, opened_at).into_iter().rev() {
                self.judge_alone(&failed, flight, is_delivery, now);
            }
        }
    }

    /// The endpoint of a flight failed, or one of its events did.
    fn break_circuit(
        &mut self,
        flight: &Flight,
        retry_after: Option<Duration>,
        may_be_the_event: bool,
        now: Now,
    ) {
        let failure = Failure {
            is_probe: flight.is_probe,
            may_be_the_event,
            retry_after,
        };
        let (policy, random) = (self.instructions.retry.clone(), self.random.f64());
        let breaker = &mut self.endpoint(flight.stage).breaker;
        breaker.failed(failure, now.elapsed, &policy, random);
    }

    /// The circuit closes behind an event that had failed. If `proof` left later and was delivered, the
    /// fault was the event's own. Once that may have been the end of an outage; then its back-off begins.
    fn judge_alone(&mut self, failed: &Flight, proof: &Flight, is_delivery: bool, now: Now) {
        let random = self.random.f64();
        let mut then = Then::Ready;
        if let Some(item) = self.lanes.first(failed)
            && let Some((at, outcome)) = item.suspect.take()
            && is_delivery
            && at <= proof.started
        {
            let policy = &self.instructions.retry;
            let next = outcome.next_on(&self.instructions.outcomes);
            item.refused_alone += u32::from(matches!(next, Next::Refused | Next::Gone));
            if item.refused_alone >= policy.refused_alone_max {
                return self.dispose(failed, Kind::RefusedAlone, &outcome, now);
            }
            if item.own_failures > 0 {
                then = Then::Wait {
                    due: now.elapsed + policy.delay(item.own_failures, random),
                    since: None,
                };
            }
            item.own_failures = item.own_failures.saturating_add(1);
        }
        self.lanes.put_back(failed, then, |_| ());
    }

    /// An attempt failed, and the events wait: by their own back-off, or for the circuit.
    fn failed(&mut self, flight: &Flight, outcome: &Outcome, next: Next, now: Now) {
        let policy = &self.instructions.retry.clone();
        let is_own = next == Next::Retry;
        let retry_after = outcome.retry_after();
        self.break_circuit(flight, retry_after, is_own && retry_after.is_none(), now);
        if next == Next::Unavailable && !flight.is_probe {
            self.sink.limit.halve(flight.started, now.elapsed);
        }
        let exhausted = |item: &Item| item.is_exhausted(policy, now);
        let is_alone = flight.events == 1;
        if is_alone && self.lanes.items(flight).any(exhausted) {
            return self.dispose(flight, Kind::Exhausted, outcome, now);
        }
        // Which of several events is at fault is found by halves, unless none of them can be.
        let may_be_one = next != Next::Unavailable || matches!(outcome, Outcome::Unanswered(_));
        let is_split = may_be_one && self.lanes.items(flight).any(|item| item.attempts > 0);
        let failures = self.lanes.items(flight).map(|item| item.own_failures).max();
        let failures = if is_alone {
            failures.unwrap_or(0) + 1
        } else {
            1
        };
        let then = match is_own {
            true => Then::Wait {
                due: now.elapsed + policy.delay(failures, self.random.f64()),
                since: Some(now.elapsed),
            },
            false => Then::Circuit,
        };
        let gone_since = self
            .sink
            .breaker
            .gone_since()
            .filter(|_| next == Next::Gone);
        self.lanes.put_back(flight, then, |item| {
            // It is given up only for a failure of its own.
            if exhausted(item) {
                item.parcel_max = 1;
            } else if is_split && !is_alone {
                item.parcel_max = flight.events / 2;
            }
            item.fail(now);
            item.own_failures += u32::from(is_own && is_alone);
            item.suspect = (!is_own && is_alone).then(|| (now.elapsed, outcome.clone()));
            item.gone_since = gone_since.or(item.gone_since);
        });
    }

    /// An event of the flight will never be taken.
    fn refused(&mut self, flight: &Flight, outcome: &Outcome, now: Now) {
        match outcome.retry_after() {
            None => self.answered(flight, false, now),
            retry_after => self.break_circuit(flight, retry_after, false, now),
        }
        if flight.events > 1 {
            // One of them is at fault: smaller parcels find out which.
            let half = flight.events / 2;
            self.lanes
                .put_back(flight, Then::Ready, |item| item.parcel_max = half);
        } else {
            self.dispose(flight, Kind::Refused, outcome, now);
        }
    }

    /// The event of the flight can never be delivered.
    fn dispose(&mut self, flight: &Flight, kind: Kind, outcome: &Outcome, now: Now) {
        let (route, tally) = (&self.instructions.name, &mut self.tally);
        let status = outcome.status();
        for item in self.lanes.items(flight) {
            let position = &item.delivery.received.position;
            tracing::warn!(route, kind = kind.word(), status, %position, "event cannot be delivered");
        }
        if self.lanes.is_request(flight) {
            let refusal = Refusal::ByDestination(outcome.clone());
            self.lanes
                .settle(flight, |item| item.delivery.refuse(refusal.clone()));
            return;
        }
        match self.instructions.on_error {
            OnError::Discard => self.settle(flight, Verdict::Discarded),
            OnError::Hold => self
                .lanes
                .put_back(flight, Then::Ready, |item| item.stage = Stage::Parked),
            OnError::DeadLetter => self.lanes.put_back(flight, Then::Ready, |item| {
                tally.count_dead_letter(kind);
                // The last refusal of one that is refused alone was counted when it came.
                if kind != Kind::RefusedAlone {
                    item.fail(now);
                }
                item.turn_into_dead_letter(route, kind, status.clone(), now);
            }),
        }
    }

    fn complete_dead_letter(&mut self, flight: &Flight, outcome: &Outcome, now: Now) {
        match outcome.next() {
            Next::Delivered => {
                self.settle(flight, Verdict::DeadLettered);
                self.answered(flight, true, now);
            }
            Next::DeadLetter => {
                self.answered(flight, false, now);
                let has_time = |item: &Item| item.outgoing.timestamp_ms.is_some();
                let has_time = self.lanes.items(flight).any(has_time);
                if has_time && *outcome == Outcome::Refused(RefusedReason::InvalidTimestamp) {
                    let take = |item: &mut Item| take_time_aside(Rc::make_mut(&mut item.outgoing));
                    self.lanes.put_back(flight, Then::Ready, take);
                } else {
                    self.stick(flight, outcome, now);
                }
            }
            // A dead letter that cannot be written is a failure of its place, whatever the reason.
            _ => {
                let (route, status) = (&self.instructions.name, outcome.status());
                tracing::error!(route, status, "dead letter cannot be written");
                self.break_circuit(flight, None, false, now);
                self.lanes
                    .put_back(flight, Then::Circuit, |item| item.fail(now));
            }
        }
    }

    /// The dead letter was refused for what it is. Somebody must change its place: it is tried now and
    /// then, and its place is open to the others.
    fn stick(&mut self, flight: &Flight, outcome: &Outcome, now: Now) {
        let (route, status) = (&self.instructions.name, outcome.status());
        for item in self.lanes.items(flight).filter(|item| !item.is_stuck) {
            let position = &item.delivery.received.position;
            tracing::error!(
                route,
                status,
                %position,
                "dead letter can never be written as things are, its key stands still: raise the limit of its place, or restart with dead letters in a file or in a Kafka topic that takes larger messages"
            );
        }
        let wait = Then::Wait {
            due: now.elapsed + self.instructions.retry.maximum,
            since: None,
        };
        self.lanes.put_back(flight, wait, |item| {
            item.fail(now);
            item.is_stuck = true;
        });
    }

    /// Tells people how the destination stands, when that has changed for the better or the worse. What no
    /// probe has confirmed is no news: it may be a single event.
    fn announce(&mut self, outcome: &Outcome, next: Next) {
        let (route, status) = (&self.instructions.name, outcome.status());
        let refuses = matches!(next, Next::Refused | Next::Gone);
        match self.sink.breaker.circuit() {
            Circuit::Closed if self.announced.take().is_some() => {
                tracing::info!(route, "destination takes events again, circuit closed");
            }
            Circuit::Open if self.sink.breaker.is_confirmed() && self.announced < Some(refuses) => {
                self.announced = Some(refuses);
                match refuses {
                    true => tracing::error!(route, status, "destination refuses us, circuit open"),
                    false => {
                        tracing::warn!(route, status, "destination is unavailable, circuit open")
                    }
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
