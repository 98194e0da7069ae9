//! A route: the only place that knows the order of the steps. It takes deliveries in, hands flights
//! out, and hears what became of them. It starts no task, waits for nothing and reads no clock:
//! time is an argument.

pub mod dead_letter;
pub mod filter;
pub mod lanes;
pub mod pace;
pub mod retry;
pub mod steps;
pub mod tally;
pub mod target;

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use jiff::Timestamp;

use crate::delivery::{Delivery, Refusal, Verdict};
use crate::outcome::{Next, Outcome};
use crate::transport::Outgoing;
use dead_letter::Kind;
use lanes::{Flight, Item, LaneKey, Lanes, ParcelLimits, Stage, Wait};
use pace::{EndpointState, Pace};
use steps::{Instructions, OnError, Rejection};
use tally::Tally;
use target::Order;

/// A moment: the time since the route started, and the wall clock for what people read.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// Since the start of the route.
    pub elapsed: Duration,
    /// On the wall clock.
    pub wall: Timestamp,
}

/// See the module.
#[derive(Debug)]
pub struct Route {
    instructions: Instructions,
    lanes: Lanes,
    sink: Endpoint,
    dead_letters: Endpoint,
    tally: Tally,
    random: fastrand::Rng,
}

#[derive(Debug, Default)]
struct Endpoint {
    pace: Pace,
    in_flight: usize,
}

impl Route {
    /// A route whose jitter follows from `seed`.
    #[must_use]
    pub fn new(instructions: Instructions, seed: u64) -> Self {
        Self {
            instructions,
            lanes: Lanes::default(),
            sink: Endpoint::default(),
            dead_letters: Endpoint::default(),
            tally: Tally::default(),
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// Decodes, filters and encodes deliveries, and puts them into their lanes.
    pub fn take_in(&mut self, deliveries: Vec<Delivery>, now: Now) {
        for delivery in deliveries {
            self.tally.taken += 1;
            match self.instructions.prepare(&delivery.received) {
                Ok(Some((outgoing, key))) => {
                    let key = self.lane_key(&delivery, key);
                    self.lanes
                        .push(Item::new(delivery, Rc::new(outgoing), Stage::Sink), key);
                }
                Ok(None) => self.tally.settle(delivery, Verdict::Filtered),
                Err(rejection) => self.reject(delivery, rejection, now),
            }
        }
    }

    /// The next exchange to start, if one may start now.
    pub fn next_flight(&mut self, now: Now) -> Option<Flight> {
        self.lanes.wake(now.elapsed);
        let single = ParcelLimits {
            events: 1,
            bytes: usize::MAX,
        };
        let room = self.instructions.in_flight_max;
        for (stage, endpoint, limits) in [
            (Stage::Sink, &mut self.sink, self.instructions.parcel),
            (Stage::DeadLetter, &mut self.dead_letters, single),
        ] {
            let may_send =
                endpoint.in_flight < room && endpoint.pace.allows(now.elapsed, endpoint.in_flight);
            if may_send && let Some(flight) = self.lanes.take(stage, limits, now.elapsed) {
                endpoint.in_flight += 1;
                return Some(flight);
            }
        }
        None
    }

    /// When `next_flight` is worth asking again although nothing has happened.
    #[must_use]
    pub fn next_due(&self) -> Option<Duration> {
        let opening = |stage, endpoint: &Endpoint| {
            let waits_for_time = self.lanes.has_ready(stage) && endpoint.in_flight == 0;
            waits_for_time.then(|| endpoint.pace.opens_at()).flatten()
        };
        [
            self.lanes.next_due(),
            opening(Stage::Sink, &self.sink),
            opening(Stage::DeadLetter, &self.dead_letters),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Hears what became of a flight.
    pub fn complete(&mut self, flight: Flight, outcome: &Outcome, now: Now) {
        let took = now.elapsed.saturating_sub(flight.started);
        self.tally.attempt(flight.stage, outcome, took);
        if flight.stage == Stage::DeadLetter {
            self.dead_letters.in_flight -= 1;
            self.complete_dead_letter(&flight, outcome, now);
        } else {
            self.sink.in_flight -= 1;
            self.complete_delivery(&flight, outcome, now);
        }
    }

    /// Counts of what the route has done.
    #[must_use]
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// How the destination stands.
    #[must_use]
    pub fn endpoint(&self) -> EndpointState {
        self.sink.pace.state()
    }

    /// How the dead letters stand.
    #[must_use]
    pub fn dead_letter_endpoint(&self) -> EndpointState {
        self.dead_letters.pace.state()
    }

    /// Exchanges under way to the destination.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.sink.in_flight
    }

    /// Events in lanes.
    #[must_use]
    pub fn held(&self) -> usize {
        self.lanes.len()
    }

    fn complete_delivery(&mut self, flight: &Flight, outcome: &Outcome, now: Now) {
        let Self {
            instructions,
            lanes,
            sink,
            tally,
            random,
            ..
        } = self;
        let policy = &instructions.retry;
        match outcome.next() {
            Next::Settle(verdict) => {
                lanes.settle(flight, |item| tally.settle(item.delivery, verdict));
                self.answered(now);
            }
            Next::Retry { floor, endpoint } => {
                if endpoint {
                    sink.pace
                        .slow_down(flight.started, now.elapsed, floor, policy, random.f64());
                } else {
                    sink.pace.failed(now.elapsed, policy);
                }
                self.retry(flight, outcome, floor, now);
            }
            Next::Hold => {
                sink.pace.hold(now.elapsed, policy);
                lanes.put_back(flight, None, |item| item.fail(now));
            }
            Next::Stop => {
                sink.pace.retire();
                lanes.put_back(flight, None, |item| item.fail(now));
            }
            Next::DeadLetter => {
                self.answered(now);
                self.refused(flight, outcome, now);
            }
        }
    }

    fn answered(&mut self, now: Now) {
        if self.sink.pace.answered(now.elapsed) {
            self.lanes.recall();
        }
    }

    fn retry(&mut self, flight: &Flight, outcome: &Outcome, floor: Option<Duration>, now: Now) {
        let policy = &self.instructions.retry;
        let mut attempts = 0;
        let mut is_exhausted = false;
        self.lanes.peek(flight, |item| {
            attempts = attempts.max(item.attempts + 1);
            let age = item
                .first_failure
                .map_or(Duration::ZERO, |first| now.elapsed.saturating_sub(first));
            is_exhausted |= policy.is_exhausted(item.attempts + 1, age);
        });
        if is_exhausted {
            return self.dispose(flight, Kind::Exhausted, outcome, now);
        }
        let due = now.elapsed + policy.delay(attempts, floor, self.random.f64());
        self.lanes.put_back(
            flight,
            Some(Wait {
                due,
                is_recallable: floor.is_none(),
            }),
            |item| item.fail(now),
        );
    }

    fn refused(&mut self, flight: &Flight, outcome: &Outcome, now: Now) {
        if flight.events > 1 {
            // One of them is at fault: smaller parcels find out which.
            let half = flight.events / 2;
            self.lanes
                .put_back(flight, None, |item| item.company_max = half);
        } else {
            self.dispose(flight, Kind::Refused, outcome, now);
        }
    }

    /// The events of the flight can never be delivered.
    fn dispose(&mut self, flight: &Flight, kind: Kind, outcome: &Outcome, now: Now) {
        let Self {
            instructions,
            lanes,
            tally,
            ..
        } = self;
        if lanes.is_request(flight) {
            lanes.settle(flight, |item| {
                item.delivery
                    .refuse(Refusal::ByDestination(outcome.clone()))
            });
            return;
        }
        tracing::warn!(
            route = instructions.name,
            kind = kind.word(),
            status = outcome.status(),
            events = flight.events,
            "cannot be delivered"
        );
        match instructions.on_error {
            OnError::Discard => {
                lanes.settle(flight, |item| {
                    tally.settle(item.delivery, Verdict::Discarded)
                });
            }
            OnError::Hold => lanes.put_back(flight, None, |item| item.stage = Stage::Parked),
            OnError::DeadLetter => lanes.put_back(flight, None, |item| {
                tally.bury(kind);
                item.fail(now);
                item.bury(&instructions.name, kind, outcome.status(), now);
            }),
        }
    }

    fn complete_dead_letter(&mut self, flight: &Flight, outcome: &Outcome, now: Now) {
        let Self {
            instructions,
            lanes,
            dead_letters,
            tally,
            random,
            ..
        } = self;
        let policy = &instructions.retry;
        match outcome.next() {
            Next::Settle(_) => {
                dead_letters.pace.answered(now.elapsed);
                lanes.settle(flight, |item| {
                    tally.settle(item.delivery, Verdict::DeadLettered)
                });
            }
            // A dead letter that cannot be written is a failure: the lane waits, whatever the reason.
            Next::Retry { .. } | Next::Hold | Next::Stop | Next::DeadLetter => {
                tracing::error!(
                    route = instructions.name,
                    status = outcome.status(),
                    "dead letter cannot be written"
                );
                dead_letters.pace.failed(now.elapsed, policy);
                let mut attempts = 0;
                lanes.peek(flight, |item| attempts = item.attempts + 1);
                let due = now.elapsed + policy.delay(attempts, None, random.f64());
                lanes.put_back(
                    flight,
                    Some(Wait {
                        due,
                        is_recallable: true,
                    }),
                    |item| item.fail(now),
                );
            }
        }
    }

    fn lane_key(&self, delivery: &Delivery, key: Option<Bytes>) -> Option<LaneKey> {
        // The sender of a request keeps its own order, by waiting for the answer.
        if delivery.window().is_request() {
            return None;
        }
        let window = Rc::as_ptr(delivery.window()).addr();
        match self.instructions.order {
            Order::Key => key.map(|key| LaneKey {
                window,
                key: Some(key),
            }),
            Order::Partition => Some(LaneKey { window, key: None }),
            Order::None => None,
        }
    }

    fn reject(&mut self, delivery: Delivery, rejection: Rejection, now: Now) {
        let (kind, status) = (rejection.kind(), rejection.status());
        tracing::warn!(
            route = self.instructions.name,
            kind = kind.word(),
            status,
            position = %delivery.received.position,
            "message rejected"
        );
        if delivery.window().is_request() {
            return delivery.refuse(rejection.into_refusal());
        }
        if self.instructions.on_error == OnError::Discard {
            return self.tally.settle(delivery, Verdict::Discarded);
        }
        // The order of a key holds for dead letters too, as far as the key can be known.
        let key = self.lane_key(&delivery, delivery.received.key.clone());
        let mut item = Item::new(delivery, Rc::new(Outgoing::default()), Stage::Parked);
        if self.instructions.on_error == OnError::DeadLetter {
            self.tally.bury(kind);
            item.bury(&self.instructions.name, kind, status, now);
        }
        self.lanes.push(item, key);
    }
}
