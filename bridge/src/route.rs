//! A route: the only place that knows the order of the steps. It starts no task, waits for nothing, reads no clock.

pub mod breaker;
pub mod check;
mod completion;
pub mod dead_letter;
pub mod filter;
pub mod in_flight;
pub mod item;
pub mod lanes;
pub mod limit;
pub mod report;
pub mod retry;
pub mod steps;
pub mod tally;
pub mod target;
pub mod waiting;

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_codec::HTTP;
use jiff::Timestamp;

use crate::delivery::{Delivery, Refusal, Verdict};
use crate::outcome::{Outcome, RefusedReason};
use crate::traces::span::{self, EventSpan, Parent};
use crate::transport::Outgoing;
use breaker::{Circuit, CircuitBreaker};
use in_flight::{BatchLimits, InFlight};
use item::{Item, Stage};
use lanes::{LaneKey, Lanes};
use limit::ConcurrencyLimit;
use report::{OutageLog, RefusedEvents, ViolationLog};
use steps::{OnError, Rejection, RouteConfig};
use tally::Tally;
use target::Order;

/// The time of a call, which is an argument because the route reads no clock.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    pub elapsed: Duration,
    /// For what people read.
    pub wall: Timestamp,
}

#[derive(Debug)]
pub struct Route {
    config: RouteConfig,
    lanes: Lanes,
    sink: Endpoint,
    dead_letters: Endpoint,
    refused: RefusedEvents,
    violations: ViolationLog,
    /// The last event that drew 410.
    gone: Option<Rc<Outgoing>>,
    /// By an operator.
    is_paused: bool,
    pause_summed_up: Duration,
    held_summed_up: Duration,
    tally: Tally,
    random: fastrand::Rng,
}

#[derive(Debug)]
struct Endpoint {
    breaker: CircuitBreaker,
    limit: ConcurrencyLimit,
    under_way: usize,
    address: String,
    outage: Option<OutageLog>,
}

impl Endpoint {
    fn new(most: usize, is_adaptive: bool, address: &str) -> Self {
        Self {
            breaker: CircuitBreaker::default(),
            limit: ConcurrencyLimit::new(most, is_adaptive),
            under_way: 0,
            address: address.to_owned(),
            outage: None,
        }
    }
}

impl Route {
    /// Jitter follows from `seed`.
    pub fn new(config: RouteConfig, seed: u64) -> Self {
        let most = config.in_flight_max;
        // Clients of brokers bound what is under way themselves.
        let is_adaptive = *config.target.binding == HTTP;
        Self {
            sink: Endpoint::new(most, is_adaptive, &config.address),
            dead_letters: Endpoint::new(most, false, &config.dead_letter_address),
            config,
            lanes: Lanes::default(),
            refused: RefusedEvents::default(),
            violations: ViolationLog::default(),
            gone: None,
            is_paused: false,
            pause_summed_up: Duration::ZERO,
            held_summed_up: Duration::ZERO,
            tally: Tally::default(),
            random: fastrand::Rng::with_seed(seed),
        }
    }

    /// What is known to be too large for the destination refuses its whole request.
    pub fn take_in(
        &mut self,
        deliveries: Vec<Delivery>,
        is_too_large: impl Fn(&Outgoing) -> bool,
        now: Now,
    ) {
        for delivery in deliveries {
            self.tally.taken += 1;
            self.tally.taken_bytes += delivery.received.byte_len() as u64;
            // A lone event is left to the destination to refuse.
            let is_asked = self.config.has_waiting_sender && delivery.window().len() > 1;
            let received = &delivery.received;
            match self.config.prepare(received, now, &mut self.tally) {
                Ok(Some(prepared)) if is_asked && is_too_large(&prepared.outgoing) => {
                    let outcome = Outcome::Refused(RefusedReason::TooLarge);
                    delivery.refuse(Refusal::ByDestination(outcome));
                }
                Ok(Some(prepared)) => {
                    self.tally.count_irregular(prepared.irregular);
                    let outgoing = Rc::new(prepared.outgoing);
                    delivery.grow(target::new_bytes(&outgoing, &delivery.received));
                    let key = self.lane_key(&delivery, prepared.key);
                    let span = self.begin_span(prepared.parent, &delivery, now);
                    let mut item = Item::new(delivery, outgoing, Stage::Sink);
                    item.span = span;
                    self.lanes.push(item, key);
                }
                Ok(None) => self.tally.settle(delivery, Verdict::Filtered),
                Err(rejection) => self.reject(delivery, rejection, now),
            }
        }
        self.release_if_retired(now);
    }

    fn release_if_retired(&mut self, now: Now) {
        if self.sink.breaker.circuit() == Circuit::Retired {
            self.sweep(now);
        }
    }

    /// `opens_at` is when the rate of the sink lets the next exchange start.
    pub fn start_next(&mut self, opens_at: Option<Duration>, now: Now) -> Option<InFlight> {
        if self.is_paused() {
            return None;
        }
        let waits_for_rate = opens_at.is_some_and(|at| at > now.elapsed);
        self.lanes.wake(now.elapsed);
        let (sink, letters) = (&mut self.sink, &mut self.dead_letters);
        for (stage, endpoint, limits) in [
            (Stage::Sink, sink, self.config.batch),
            (Stage::DeadLetter, letters, BatchLimits::SINGLE),
        ] {
            let Some(probe) = self.lanes.next_probe(stage) else {
                continue;
            };
            if stage == Stage::Sink && waits_for_rate {
                continue;
            }
            // A probe is one event, beside the limit.
            let (probe, limits, may_start) = match endpoint.breaker.circuit() {
                Circuit::Closed => (None, limits, endpoint.limit.allows(endpoint.under_way)),
                _ => {
                    let next = endpoint.breaker.next_probe(probe);
                    let may_start = next.is_some_and(|at| at <= now.elapsed);
                    (Some(probe), BatchLimits::SINGLE, may_start)
                }
            };
            if may_start && let Some(sent) = self.lanes.take(stage, limits, probe, now.elapsed) {
                endpoint.under_way += 1;
                if sent.is_probe {
                    endpoint.breaker.probe_starts(now.elapsed);
                }
                return Some(sent);
            }
        }
        None
    }

    /// Drops events whose window was abandoned or whose drain ends first, and logs what lasts.
    pub fn sweep(&mut self, now: Now) {
        let has_sender = self.config.has_waiting_sender;
        let opens_at = |stage| match stage {
            _ if self.is_paused => Duration::MAX,
            Stage::DeadLetter => self.dead_letters.breaker.opens_at(),
            Stage::Sink | Stage::Held => self.sink.breaker.opens_at(),
        };
        self.lanes.sweep(now.elapsed, has_sender, opens_at);
        let heads = self.lanes.heads();
        for item in heads.filter(|item| item.fills_its_window()) {
            item.is_reported = true;
            let attempts = item.attempts;
            let received = &item.delivery.received;
            let position = &received.position;
            let [id, source, r#type] = self.config.identity(received);
            tracing::warn!(
                id, source, r#type, %position, attempts,
                "window is full behind one event that fails, nothing more is read from its partition"
            );
        }
        self.sum_up(now.elapsed);
    }

    /// When to call `start_next` again although nothing has happened.
    pub fn next_due(&self, opens_at: Option<Duration>) -> Option<Duration> {
        if self.is_paused() {
            return None;
        }
        let probe = |stage, it: &Endpoint| it.breaker.next_probe(self.lanes.next_probe(stage)?);
        let sink = probe(Stage::Sink, &self.sink);
        let letters = probe(Stage::DeadLetter, &self.dead_letters);
        let dues = [opens_at, self.lanes.next_due(), sink, letters];
        dues.into_iter().flatten().min()
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    pub fn circuit(&self) -> Circuit {
        self.sink.breaker.circuit()
    }

    pub fn dead_letters_fail(&self) -> bool {
        self.dead_letters.breaker.circuit() != Circuit::Closed || self.stuck() > 0
    }

    /// Dead letters that their place refuses for good.
    pub fn stuck(&self) -> usize {
        self.lanes.stuck()
    }

    /// Those that wait for an operator under `on_error = "hold"`.
    pub fn events_held(&self) -> usize {
        self.lanes.held().count()
    }

    pub fn in_flight(&self) -> usize {
        self.sink.under_way
    }

    pub fn held(&self) -> usize {
        self.lanes.events()
    }

    fn lane_key(&self, delivery: &Delivery, key: Option<Bytes>) -> Option<LaneKey> {
        let window = Rc::as_ptr(delivery.window()).addr();
        let lane = |key| LaneKey { window, key };
        match self.config.order {
            Order::Key => key.map(|key| lane(Some(key))),
            Order::Partition => Some(lane(None)),
            Order::None => None,
        }
    }

    fn begin_span(
        &mut self,
        parent: Option<Box<Parent>>,
        delivery: &Delivery,
        now: Now,
    ) -> Option<EventSpan> {
        let traces = self.config.traces.as_ref()?;
        let span = traces.begin(parent, &mut self.random, now.wall)?;
        delivery.grow(span::MEMORY);
        Some(span)
    }

    fn reject(&mut self, delivery: Delivery, rejection: Rejection, now: Now) {
        let (kind, status) = rejection.kind_and_status();
        let mut span = self.begin_span(rejection.parent, &delivery, now);
        if let Some(span) = &mut span {
            span.fail(kind.word(), &status);
        }
        let (config, received) = (&self.config, &delivery.received);
        self.refused
            .note(config, received, kind, &status, now.elapsed);
        if self.config.has_waiting_sender {
            config.end_span(span, received, "refused", now);
            return delivery.refuse(rejection.refusal);
        }
        if self.config.on_error == OnError::Discard {
            config.end_span(span, received, Verdict::Discarded.word(), now);
            return self.tally.settle(delivery, Verdict::Discarded);
        }
        // The order of a key holds for dead letters too.
        let key = self.lane_key(&delivery, rejection.key);
        let mut item = Item::new(delivery, Rc::new(Outgoing::default()), Stage::Held);
        item.span = span;
        if self.config.on_error == OnError::DeadLetter {
            self.tally.count_dead_letter(kind);
            item.turn_into_dead_letter(&self.config.name, kind, (status, None), now);
        }
        self.lanes.push(item, key);
    }
}
