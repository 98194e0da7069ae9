//! Pure: from the outcome of a flight to the next step of its events, and of the endpoint.

use std::rc::Rc;
use std::time::Duration;

use super::dead_letter::{Kind, take_time_aside};
use super::item::{Item, Stage};
use super::lanes::{Flight, Wait};
use super::pace::EndpointState;
use super::steps::OnError;
use super::{Now, Route};
use crate::delivery::{Refusal, Verdict};
use crate::outcome::{INVALID_TIMESTAMP, Next, Outcome};

/// How many waits end early for each event that goes through after it had failed. Each of those
/// brings as many when it goes through too, so what is healed is soon all under way, and what fails
/// still is met by few.
const HURRIED: usize = 2;

impl Route {
    /// Hears what became of a flight.
    pub fn complete(&mut self, flight: Flight, outcome: &Outcome, now: Now) {
        let took = now.elapsed.saturating_sub(flight.started);
        self.tally.attempt(flight.stage, outcome, took);
        if flight.stage == Stage::DeadLetter {
            self.dead_letters.in_flight -= 1;
            self.complete_dead_letter(&flight, outcome, now);
        } else {
            self.sink.in_flight -= 1;
            let before = self.sink.pace.state();
            self.complete_delivery(&flight, outcome, now);
            self.announce(before, outcome);
            self.let_go_when_retired(now);
        }
    }

    fn complete_delivery(&mut self, flight: &Flight, outcome: &Outcome, now: Now) {
        let policy = &self.instructions.retry;
        let pace = &mut self.sink.pace;
        match outcome.next() {
            Next::Settle(verdict) => {
                let recovered = self.settle(flight, verdict);
                self.answered(flight, now);
                // Of no use while nothing may go: a wait is cut short only once.
                if self.sink.pace.state() == EndpointState::Open {
                    self.lanes
                        .hurry(Stage::Sink, HURRIED * recovered, now.elapsed);
                }
            }
            Next::Retry { floor, endpoint } => {
                if endpoint {
                    let random = self.random.f64();
                    pace.slow_down(flight.started, now.elapsed, floor, policy, random);
                } else {
                    pace.failed(now.elapsed, policy);
                }
                let asks_for_time = endpoint && floor.is_none();
                let probe = asks_for_time.then(|| self.next_probe(now)).flatten();
                self.retry(flight, outcome, floor, probe, now);
            }
            Next::Hold { floor } => {
                pace.hold(now.elapsed, floor, policy);
                self.lanes.put_back(flight, None, |item| item.fail(now));
            }
            Next::Stop => {
                pace.retire();
                self.lanes.put_back(flight, None, |item| item.fail(now));
            }
            Next::DeadLetter { floor } => {
                match floor {
                    Some(_) => {
                        let random = self.random.f64();
                        pace.slow_down(flight.started, now.elapsed, floor, policy, random);
                    }
                    None => self.answered(flight, now),
                }
                self.refused(flight, outcome, now);
            }
        }
    }

    fn answered(&mut self, flight: &Flight, now: Now) {
        if self.sink.pace.answered(flight.started, now.elapsed) {
            self.lanes.recall(Stage::Sink);
        }
    }

    /// Settles the events of a flight; how many of them had failed before.
    fn settle(&mut self, flight: &Flight, verdict: Verdict) -> usize {
        let (tally, mut recovered) = (&mut self.tally, 0);
        self.lanes.settle(flight, |item| {
            recovered += usize::from(item.attempts > 0);
            tally.settle(item.delivery, verdict);
        });
        recovered
    }

    /// When a destination that takes nothing from anybody is probed: no lane waits longer, or few
    /// that wait would leave it idle. Who counts attempts counts on the whole back-off between them.
    fn next_probe(&self, now: Now) -> Option<Duration> {
        let pace = &self.sink.pace;
        let has_limit = self.instructions.retry.attempts_max.is_some();
        let is_wanted = pace.is_away(now.elapsed) && !has_limit;
        is_wanted.then(|| pace.opens_at()).flatten()
    }

    fn retry(
        &mut self,
        flight: &Flight,
        outcome: &Outcome,
        floor: Option<Duration>,
        probe: Option<Duration>,
        now: Now,
    ) {
        let policy = self.instructions.retry.clone();
        let mut is_exhausted = false;
        self.lanes.peek(flight, |item| {
            is_exhausted |= item.is_exhausted(&policy, now)
        });
        if is_exhausted && flight.events == 1 {
            return self.dispose(flight, Kind::Exhausted, outcome, now);
        }
        let mut wait = self.wait(flight, floor, now);
        wait.due = probe.map_or(wait.due, |probe| wait.due.min(probe));
        self.lanes.put_back(flight, Some(wait), |item| {
            // It is given up only for a failure of its own.
            if item.is_exhausted(&policy, now) {
                item.parcel_max = 1;
            }
            item.fail(now);
        });
    }

    /// The back-off of a flight: that of its event with the most attempts.
    fn wait(&mut self, flight: &Flight, floor: Option<Duration>, now: Now) -> Wait {
        let mut attempts = 0;
        self.lanes
            .peek(flight, |item| attempts = attempts.max(item.attempts + 1));
        let policy = &self.instructions.retry;
        let delay = policy.delay(attempts, floor, self.random.f64());
        Wait {
            due: now.elapsed + delay,
            floor: floor.map(|floor| now.elapsed + floor.min(policy.retry_after_max)),
        }
    }

    fn refused(&mut self, flight: &Flight, outcome: &Outcome, now: Now) {
        if flight.events > 1 {
            // One of them is at fault: smaller parcels find out which.
            let half = flight.events / 2;
            self.lanes
                .put_back(flight, None, |item| item.parcel_max = half);
        } else {
            self.dispose(flight, Kind::Refused, outcome, now);
        }
    }

    /// The event of the flight can never be delivered.
    fn dispose(&mut self, flight: &Flight, kind: Kind, outcome: &Outcome, now: Now) {
        let (route, tally) = (&self.instructions.name, &mut self.tally);
        if self.lanes.is_request(flight) {
            let refusal = Refusal::ByDestination(outcome.clone());
            self.lanes
                .settle(flight, |item| item.delivery.refuse(refusal.clone()));
            return;
        }
        let status = outcome.status();
        self.lanes.peek(flight, |item| {
            let position = &item.delivery.received.position;
            tracing::warn!(route, kind = kind.word(), status, %position, "event cannot be delivered");
        });
        match self.instructions.on_error {
            OnError::Discard => {
                self.lanes.settle(flight, |item| {
                    tally.settle(item.delivery, Verdict::Discarded)
                });
            }
            OnError::Hold => self
                .lanes
                .put_back(flight, None, |item| item.stage = Stage::Parked),
            OnError::DeadLetter => self.lanes.put_back(flight, None, |item| {
                tally.count_dead_letter(kind);
                item.fail(now);
                item.turn_into_dead_letter(route, kind, status.clone(), now);
            }),
        }
    }

    fn complete_dead_letter(&mut self, flight: &Flight, outcome: &Outcome, now: Now) {
        if let Next::Settle(_) = outcome.next() {
            let recovered = self.settle(flight, Verdict::DeadLettered);
            self.answered_dead_letter(flight, now);
            self.lanes
                .hurry(Stage::DeadLetter, HURRIED * recovered, now.elapsed);
            return;
        }
        let mut has_time = false;
        let look = |item: &Item| has_time |= item.outgoing.timestamp_ms.is_some();
        self.lanes.peek(flight, look);
        if has_time && *outcome == Outcome::Refused(INVALID_TIMESTAMP) {
            self.answered_dead_letter(flight, now);
            let take = |item: &mut Item| take_time_aside(Rc::make_mut(&mut item.outgoing));
            self.lanes.put_back(flight, None, take);
            return;
        }
        // A dead letter that cannot be written is a failure: its lane waits, whatever the reason.
        if matches!(outcome.next(), Next::DeadLetter { .. }) {
            return self.stick(flight, outcome, now);
        }
        let (route, status) = (&self.instructions.name, outcome.status());
        tracing::error!(route, status, "dead letter cannot be written");
        self.dead_letters
            .pace
            .failed(now.elapsed, &self.instructions.retry);
        let wait = self.wait(flight, None, now);
        self.lanes
            .put_back(flight, Some(wait), |item| item.fail(now));
    }

    fn answered_dead_letter(&mut self, flight: &Flight, now: Now) {
        if self.dead_letters.pace.answered(flight.started, now.elapsed) {
            self.lanes.recall(Stage::DeadLetter);
        }
    }

    /// The dead letter was refused for what it is. Somebody must change its place: it is tried now and
    /// then, as a destination that is held, and its place is open to the others.
    fn stick(&mut self, flight: &Flight, outcome: &Outcome, now: Now) {
        let (route, status) = (&self.instructions.name, outcome.status());
        self.lanes.peek(flight, |item| {
            let position = &item.delivery.received.position;
            if !item.is_stuck {
                tracing::error!(
                    route,
                    status,
                    %position,
                    "dead letter can never be written as things are, its key stands still: raise the limit of its place, or restart with dead letters in a file or in a Kafka topic that takes larger messages"
                );
            }
        });
        self.answered_dead_letter(flight, now);
        let due = now.elapsed + self.instructions.retry.maximum;
        let wait = Wait {
            due,
            floor: Some(due),
        };
        self.lanes.put_back(flight, Some(wait), |item| {
            item.fail(now);
            item.is_stuck = true;
        });
    }

    /// Tells people how the destination stands, when that has changed.
    fn announce(&self, before: EndpointState, outcome: &Outcome) {
        let after = self.sink.pace.state();
        if std::mem::discriminant(&before) == std::mem::discriminant(&after) {
            return;
        }
        let (route, status) = (&self.instructions.name, outcome.status());
        match after {
            EndpointState::Open => tracing::info!(route, "destination takes events again"),
            EndpointState::Slowed { .. } => {
                tracing::warn!(route, status, "destination asks for time")
            }
            EndpointState::Held { .. } => {
                tracing::error!(route, status, "destination refuses us, route is held");
            }
            EndpointState::Retired => {
                tracing::error!(route, status, "destination is retired, route is stopped");
            }
        }
    }
}

#[cfg(test)]
mod tests;
