use std::rc::Rc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::Now;
use super::dead_letter::{Kind, Reason, dead_letter};
use super::steps::{OnError, RouteConfig};
use super::tally::Tally;
use crate::delivery::Delivery;
use crate::outcome::Outcome;
use crate::traces::span::EventSpan;
use crate::transport::Outgoing;

/// Where an event is on its way to, and which end of a route fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Stage {
    Sink,
    DeadLetter,
}

#[derive(Debug)]
pub struct Item {
    pub delivery: Delivery,
    pub outgoing: Rc<Outgoing>,
    /// Nothing while it waits for an operator.
    pub stage: Option<Stage>,
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
    /// When it last failed, if it was the only event of the exchange, until it shows whose fault that was.
    pub suspected: Option<Duration>,
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
    pub(crate) fn new(delivery: Delivery, outgoing: Outgoing, span: Option<EventSpan>) -> Self {
        Self {
            delivery,
            outgoing: Rc::new(outgoing),
            stage: Some(Stage::Sink),
            attempts: 0,
            last_answer: None,
            first_failure: None,
            own_failures: 0,
            failed_alone: 0,
            refused_alone: 0,
            suspected: None,
            is_gone: false,
            is_stuck: false,
            is_reported: false,
            batch_max: usize::MAX,
            span,
        }
    }

    pub fn fail(&mut self, outcome: &Outcome, now: Now) {
        self.last_answer = Some(outcome.clone());
        self.attempts = self.attempts.saturating_add(1);
        self.first_failure.get_or_insert(now.elapsed);
    }

    /// It can never be delivered: it is held or becomes a dead letter, where it is not to be dropped or refused.
    pub fn fail_for_good(
        &mut self,
        config: &RouteConfig,
        tally: &mut Tally,
        kind: Kind,
        (status, error_body): (&str, Option<&str>),
        now: Now,
    ) {
        // What is held may be delivered yet.
        if config.on_error == OnError::Hold {
            self.stage = None;
            return;
        }
        if let Some(span) = &mut self.span {
            span.fail(kind.word(), status);
        }
        if config.on_error == OnError::DeadLetter {
            tally.count_dead_letter(kind);
            let age = self.age(now);
            let reason = Reason {
                route: &config.name,
                kind,
                status: status.to_owned(),
                error_body,
                attempts: self.attempts,
                first_attempt: now.wall.saturating_sub(age).unwrap_or(now.wall),
                last_attempt: now.wall,
            };
            self.outgoing = Rc::new(dead_letter(&self.delivery.received, &reason));
            (self.stage, self.attempts, self.first_failure) = (Some(Stage::DeadLetter), 0, None);
            (self.suspected, self.own_failures) = (None, 0);
        }
    }

    /// Its receiver is mended: what counted against it counts no more.
    pub fn begin_anew(&mut self) {
        (self.stage, self.attempts, self.first_failure) = (Some(Stage::Sink), 0, None);
        (self.own_failures, self.failed_alone, self.refused_alone) = (0, 0, 0);
    }

    pub fn has_failed(&self) -> bool {
        self.attempts > 0 || self.stage != Some(Stage::Sink)
    }

    /// It fails, its window is full behind it, and that was not logged.
    pub fn fills_its_window(&self) -> bool {
        let delivery = &self.delivery;
        self.has_failed()
            && !self.is_reported
            && delivery.window().is_full_behind(delivery.sequence())
    }

    pub(super) fn age(&self, now: Now) -> Duration {
        self.first_failure
            .map_or(Duration::ZERO, |first| now.elapsed.saturating_sub(first))
    }
}
