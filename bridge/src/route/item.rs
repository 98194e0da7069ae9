use std::rc::Rc;
use std::time::Duration;

use super::Now;
use super::dead_letter::{Kind, Reason, dead_letter};
use super::retry::RetryPolicy;
use crate::delivery::Delivery;
use crate::outcome::Outcome;
use crate::traces::span::EventSpan;
use crate::transport::Outgoing;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    Sink,
    DeadLetter,
    /// Waits for an operator.
    Held,
}

#[derive(Debug)]
pub struct Item {
    pub delivery: Delivery,
    pub outgoing: Rc<Outgoing>,
    pub stage: Stage,
    /// At this stage.
    pub attempts: u32,
    /// To the last attempt, at whatever stage.
    pub last_answer: Option<Outcome>,
    /// Since the start of the route.
    pub first_failure: Option<Duration>,
    /// Failures of its own: its back-off counts no others.
    pub own_failures: u32,
    /// After which another event was delivered.
    pub failed_alone: u32,
    /// The refusals among them.
    pub refused_alone: u32,
    /// Its last failure, if it was the only event of the exchange, until it shows whose fault that was.
    pub suspect: Option<(Duration, Outcome)>,
    pub is_gone: bool,
    /// The place of dead letters refuses it for good.
    pub is_stuck: bool,
    /// Its full window was logged.
    pub is_reported: bool,
    /// Most events in a batch with it; halved when a batch is refused.
    pub batch_max: usize,
    /// Where it is sampled.
    pub(crate) span: Option<EventSpan>,
}

impl Item {
    pub fn new(delivery: Delivery, outgoing: Rc<Outgoing>, stage: Stage) -> Self {
        Self {
            delivery,
            outgoing,
            stage,
            attempts: 0,
            last_answer: None,
            first_failure: None,
            own_failures: 0,
            failed_alone: 0,
            refused_alone: 0,
            suspect: None,
            is_gone: false,
            is_stuck: false,
            is_reported: false,
            batch_max: usize::MAX,
            span: None,
        }
    }

    pub fn fail(&mut self, outcome: &Outcome, now: Now) {
        self.last_answer = Some(outcome.clone());
        self.attempts = self.attempts.saturating_add(1);
        self.first_failure.get_or_insert(now.elapsed);
    }

    pub fn turn_into_dead_letter(
        &mut self,
        route: &str,
        kind: Kind,
        (status, error_body): (String, Option<&str>),
        now: Now,
    ) {
        let age = self.age(now);
        let reason = Reason {
            route,
            kind,
            status,
            error_body,
            attempts: self.attempts,
            first_attempt: now.wall.saturating_sub(age).unwrap_or(now.wall),
            last_attempt: now.wall,
        };
        self.outgoing = Rc::new(dead_letter(&self.delivery.received, &reason));
        (self.stage, self.attempts, self.first_failure) = (Stage::DeadLetter, 0, None);
        (self.suspect, self.own_failures) = (None, 0);
    }

    /// Its receiver is mended: what counted against it counts no more.
    pub fn begin_anew(&mut self) {
        (self.stage, self.attempts, self.first_failure) = (Stage::Sink, 0, None);
        (self.own_failures, self.failed_alone, self.refused_alone) = (0, 0, 0);
    }

    /// Whether one more failure is its last.
    pub fn is_exhausted(&self, policy: &RetryPolicy, now: Now) -> bool {
        policy.is_exhausted(self.attempts.saturating_add(1), self.age(now))
    }

    pub fn has_failed(&self) -> bool {
        self.attempts > 0 || self.stage != Stage::Sink
    }

    /// It fails, its window is full behind it, and that was not logged.
    pub fn fills_its_window(&self) -> bool {
        let delivery = &self.delivery;
        self.has_failed()
            && !self.is_reported
            && delivery.window().is_full_behind(delivery.sequence())
    }

    fn age(&self, now: Now) -> Duration {
        self.first_failure
            .map_or(Duration::ZERO, |first| now.elapsed.saturating_sub(first))
    }
}
