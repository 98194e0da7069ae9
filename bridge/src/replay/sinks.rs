//! The two sinks of a replay. One hands events to the destination of the route and hears its
//! answers; the other takes the place of the dead letters: what fails again stays where it is, so it
//! only remembers why.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, ready};

use crate::outcome::{Next, Outcome};
use crate::route::dead_letter::{Explanation, explain};
use crate::transport::{Batch, Sink};

/// What the sinks hear.
#[derive(Debug, Default)]
pub(super) struct Heard {
    /// Why events failed again, by the position of their dead letter, until somebody asks.
    reasons: RefCell<HashMap<String, Explanation>>,
    /// What the destination said when it refused us and not an event.
    refusal: RefCell<Option<String>>,
    /// The last answer that delivered nothing.
    failure: RefCell<Option<String>>,
}

impl Heard {
    /// Why the dead letter at a position failed again.
    pub(super) fn reason(&self, position: &str) -> Option<Explanation> {
        self.reasons.borrow_mut().remove(position)
    }

    /// What the destination said when it refused us, if it did.
    pub(super) fn refusal(&self) -> Option<String> {
        self.refusal.borrow().clone()
    }

    /// The last answer that delivered nothing, if there was one.
    pub(super) fn failure(&self) -> Option<String> {
        self.failure.borrow().clone()
    }
}

/// The destination, overheard.
pub(super) struct Overheard {
    pub(super) sink: Box<dyn Sink>,
    pub(super) heard: Rc<Heard>,
}

impl Sink for Overheard {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let heard = Rc::clone(&self.heard);
        let exchange = self.sink.send(batch);
        let overhear = move |outcome: Outcome| {
            let next = outcome.next();
            if matches!(next, Next::Refused | Next::Gone) {
                heard.refusal.replace(Some(outcome.status()));
            }
            if next != Next::Delivered {
                heard.failure.replace(Some(outcome.status()));
            }
            outcome
        };
        exchange.map(overhear).boxed_local()
    }
}

/// Where dead letters would go.
pub(super) struct Reasons(pub(super) Rc<Heard>);

impl Sink for Reasons {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let mut reasons = self.0.reasons.borrow_mut();
        for explanation in batch.iter().filter_map(|letter| explain(&letter.headers)) {
            reasons.insert(explanation.source.clone(), explanation);
        }
        ready(Outcome::Delivered).boxed_local()
    }
}
