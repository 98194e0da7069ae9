//! A route: the only place that knows the order of the steps. It starts no task, waits for nothing, reads no clock.

pub mod breaker;
pub mod check;
mod completion;
pub mod dead_letter;
pub mod filter;
pub mod item;
pub mod lanes;
pub mod limit;
pub mod report;
pub mod retry;
pub mod steps;
pub mod tally;
pub mod target;
pub mod waiting;

use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_codec::HTTP;
use jiff::Timestamp;

use crate::delivery::window::Capacity;
use crate::delivery::{Delivery, Refusal, Verdict};
use crate::outcome::{Outcome, RefusedReason};
use crate::traces::span::{self, Parent};
use crate::transport::Outgoing;
use breaker::{Circuit, CircuitBreaker};
use item::{Item, Stage};
use lanes::{InFlight, LaneKey, Lanes};
use limit::ConcurrencyLimit;
use report::{OutageLog, RefusedEvents};
use steps::{OnError, RouteConfig, kind_and_status};
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
    /// By rule, until the last summary.
    violations_told: BTreeMap<&'static str, u64>,
    /// The last event that drew 410.
    gone: Option<Rc<Outgoing>>,
    /// By an operator.
    is_paused: bool,
    summed_up: Duration,
    tally: Tally,
    random: fastrand::Rng,
}

#[derive(Debug)]
struct Endpoint {
    stage: Stage,
    breaker: CircuitBreaker,
    limit: ConcurrencyLimit,
    under_way: usize,
    address: String,
    outage: Option<OutageLog>,
}

impl Route {
    /// Jitter follows from `seed`.
    pub fn new(config: RouteConfig, seed: u64) -> Self {
        let endpoint = |stage, is_adaptive, address: &str| Endpoint {
            stage,
            breaker: CircuitBreaker::default(),
            limit: ConcurrencyLimit::new(config.in_flight_max, is_adaptive),
            under_way: 0,
            address: address.to_owned(),
            outage: None,
        };
        // Clients of brokers bound what is under way themselves.
        let is_adaptive = *config.target.binding == HTTP;
        Self {
            sink: endpoint(Stage::Sink, is_adaptive, &config.address),
            dead_letters: endpoint(Stage::DeadLetter, false, &config.dead_letter_address),
            config,
            lanes: Lanes::default(),
            refused: RefusedEvents::default(),
            violations_told: BTreeMap::new(),
            gone: None,
            is_paused: false,
            summed_up: Duration::ZERO,
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
        let has_sender = self.config.on_error == OnError::Refuse;
        for delivery in deliveries {
            self.tally.taken += 1;
            self.tally.taken_bytes += delivery.received.byte_len() as u64;
            // A lone event is left to the destination to refuse.
            let is_asked = has_sender && delivery.window().len() > 1;
            let received = &delivery.received;
            let prepared = self.config.prepare(received, now, &mut self.tally);
            let key = self.lane_key(&delivery, prepared.key);
            match prepared.written {
                Ok(None) => self.tally.settle(delivery, Verdict::Filtered),
                Ok(Some(outgoing)) if is_asked && is_too_large(&outgoing) => {
                    let outcome = Outcome::Refused(RefusedReason::TooLarge);
                    delivery.refuse(Refusal::ByDestination(outcome));
                }
                Ok(Some(outgoing)) => {
                    delivery.grow(target::new_bytes(&outgoing, &delivery.received));
                    let item = self.item(delivery, outgoing, prepared.parent, now);
                    self.lanes.push(item, key);
                }
                Err(refusal) => {
                    let item = self.item(delivery, Outgoing::default(), prepared.parent, now);
                    self.reject(item, key, refusal, now);
                }
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
        for (endpoint, limits) in [(sink, self.config.batch), (letters, Capacity::SINGLE)] {
            let stage = endpoint.stage;
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
                    (Some(probe), Capacity::SINGLE, may_start)
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
        let has_sender = self.config.on_error == OnError::Refuse;
        let opens_at = |stage| match stage {
            _ if self.is_paused => Duration::MAX,
            Stage::DeadLetter => self.dead_letters.breaker.opens_at(),
            Stage::Sink => self.sink.breaker.opens_at(),
        };
        self.lanes.sweep(now.elapsed, has_sender, opens_at);
        let heads = self.lanes.heads();
        for item in heads.filter(|item| item.fills_its_window()) {
            item.is_reported = true;
            let attempts = item.attempts;
            let received = &item.delivery.received;
            let position = &received.position;
            let [id, source, r#type] = received.identity(&self.config.decoder);
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
        let probe = |it: &Endpoint| it.breaker.next_probe(self.lanes.next_probe(it.stage)?);
        // A probe keeps to the rate, at which something else may be due too.
        let sink = match (probe(&self.sink), opens_at) {
            (Some(probe), Some(opens_at)) => Some(probe.max(opens_at)),
            (probe, opens_at) => probe.or(opens_at),
        };
        let dues = [sink, probe(&self.dead_letters), self.lanes.next_due()];
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
        self.lanes.all().filter(|(item, _)| item.is_stuck).count()
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

    fn item(
        &mut self,
        delivery: Delivery,
        outgoing: Outgoing,
        parent: Option<Box<Parent>>,
        now: Now,
    ) -> Item {
        let traces = self.config.traces.as_ref();
        let span = traces.and_then(|it| it.begin(parent, &mut self.random, now.wall));
        if span.is_some() {
            delivery.grow(span::MEMORY);
        }
        Item::new(delivery, outgoing, span)
    }

    fn reject(&mut self, mut item: Item, key: Option<LaneKey>, refusal: Refusal, now: Now) {
        let (kind, status) = kind_and_status(&refusal);
        let (config, received) = (&self.config, &item.delivery.received);
        self.refused.note(config, received, kind, &status);
        item.fail_for_good(config, &mut self.tally, kind, (&status, None), now);
        match config.on_error {
            OnError::Refuse => {
                config.end_span(&mut item, "refused", now);
                item.delivery.refuse(refusal);
            }
            OnError::Discard => {
                config.end_span(&mut item, Verdict::Discarded.word(), now);
                self.tally.settle(item.delivery, Verdict::Discarded);
            }
            // The order of a key holds for dead letters too.
            OnError::DeadLetter | OnError::Hold => self.lanes.push(item, key),
        }
    }
}
