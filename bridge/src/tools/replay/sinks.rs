//! The two sinks of a replay: the destination, and in place of the dead letters one that only records.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};

use crate::outcome::{Next, Outcome};
use crate::route::dead_letter::{Explanation, explain};
use crate::transport::{Batch, Sink};

#[derive(Debug, Default)]
pub(super) struct RecordedOutcomes {
    /// By the position of the dead letter.
    pub(super) reasons: RefCell<HashMap<String, Explanation>>,
    /// The last failure, and whether it refuses us and not an event.
    pub(super) failure: RefCell<Option<(String, bool)>>,
}

pub(super) struct RecordingSink {
    pub(super) sink: Box<dyn Sink>,
    pub(super) outcomes: BTreeMap<u16, Next>,
    pub(super) answers: Rc<RecordedOutcomes>,
}

impl Sink for RecordingSink {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let answers = Rc::clone(&self.answers);
        let outcomes = self.outcomes.clone();
        let record = move |outcome: &Outcome| {
            let next = outcome.next_on(&outcomes);
            if next != Next::Delivered {
                let refuses_us = matches!(next, Next::Refused | Next::Gone);
                let mut failure = answers.failure.borrow_mut();
                // A refusal stays: it ends the replay at the next look.
                if refuses_us || !matches!(*failure, Some((_, true))) {
                    *failure = Some((outcome.status(), refuses_us));
                }
            }
        };
        self.sink.send(batch).inspect(record).boxed_local()
    }
}

pub(super) struct DeadLetterRecorder(pub(super) Rc<RecordedOutcomes>);

impl Sink for DeadLetterRecorder {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let mut reasons = self.0.reasons.borrow_mut();
        for explanation in batch.iter().filter_map(|letter| explain(&letter.headers)) {
            reasons.insert(explanation.source.clone(), explanation);
        }
        ready(Outcome::Delivered).boxed_local()
    }
}
