//! What happened: what went in, what came out, and what was done meanwhile. All judging is over this.

use std::collections::HashMap;
use tokio::time::Instant;

use cloudevents_nl_conformance::{Capture, Exchange, Protocol};

use super::compare::{Difference, Tolerance, differences};
use super::plain::Plain;

/// All of a run.
#[derive(Debug)]
pub(crate) struct Story {
    /// What ids of this run begin with.
    pub(crate) run: String,
    pub(crate) from: Protocol,
    pub(crate) to: Protocol,
    pub(crate) sent: Vec<Sent>,
    pub(crate) came: Vec<Came>,
    /// Nobody else's events come out at the far end.
    pub(crate) is_alone: bool,
    pub(crate) tolerated: Vec<Tolerance>,
    pub(crate) has_asked_for_batches: bool,
    pub(crate) incidents: Vec<Incident>,
}

/// Something that was done to try the intermediary.
#[derive(Clone, Debug)]
pub(crate) struct Incident {
    pub(crate) what: &'static str,
    pub(crate) at: Instant,
}

/// An event that went in, or should have.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) name: &'static str,
    pub(crate) event: Plain,
    pub(crate) message: Capture,
    pub(crate) outcome: Outcome,
    /// How often it was offered.
    pub(crate) offers: usize,
    pub(crate) exchange: Option<Exchange>,
    pub(crate) is_odd: bool,
    /// The line of the record.
    pub(crate) line: u64,
}

/// What became of an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The near end has it for good.
    Taken,
    /// It will never take it: what it said.
    Refused(String),
    /// Nobody knows.
    Unknown(String),
}

/// A message that came out.
#[derive(Clone, Debug)]
pub(crate) struct Came {
    pub(crate) at: Instant,
    pub(crate) events: Vec<Plain>,
    pub(crate) message: Capture,
    pub(crate) exchange: Option<Exchange>,
    /// Whether the far end took it.
    pub(crate) is_taken: bool,
    /// The line of the record.
    pub(crate) line: u64,
}

impl Came {
    /// One that comes now, and is taken.
    pub(crate) fn now(message: Capture) -> Self {
        Self {
            at: Instant::now(),
            events: Plain::of(&message),
            message,
            exchange: None,
            is_taken: true,
            line: 0,
        }
    }
}

/// An event that went in, and its first arrival.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'s> {
    pub(crate) sent: &'s Sent,
    pub(crate) came: &'s Came,
    pub(crate) event: &'s Plain,
}

impl Story {
    /// Every event that arrived, once.
    pub(crate) fn pairs(&self) -> Vec<Pair<'_>> {
        let mut first = HashMap::new();
        for came in self.came.iter().filter(|came| came.is_taken) {
            for event in came.events.iter().filter(|event| !event.id().is_empty()) {
                first.entry(event.id()).or_insert((came, event));
            }
        }
        let sent = self.sent.iter();
        let pairs = sent.filter_map(|sent| {
            let (came, event) = *first.get(sent.event.id())?;
            Some(Pair { sent, came, event })
        });
        pairs.collect()
    }

    /// Those that belong to the usual load of events, none of which may be refused.
    pub(crate) fn usual(&self) -> Vec<Pair<'_>> {
        let pairs = self.pairs().into_iter();
        pairs.filter(|pair| !pair.sent.is_odd).collect()
    }

    /// Those of one specimen.
    pub(crate) fn of_specimen(&self, name: &str) -> impl Iterator<Item = Pair<'_>> {
        let pairs = self.pairs().into_iter();
        pairs.filter(move |pair| pair.sent.name == name)
    }
}

impl Sent {
    pub(crate) fn id(&self) -> String {
        self.event.id().to_owned()
    }

    /// What became of it, for people.
    pub(crate) fn said(&self) -> &str {
        match &self.outcome {
            Outcome::Refused(said) | Outcome::Unknown(said) => said,
            Outcome::Taken => "∅",
        }
    }

    /// Whether it is to come out.
    pub(crate) fn is_due(&self) -> bool {
        self.outcome == Outcome::Taken
    }
}

impl Pair<'_> {
    pub(crate) fn differences(&self) -> Vec<Difference> {
        differences(&self.sent.event, self.event)
    }

    /// The value of an attribute before and behind.
    pub(crate) fn attribute(&self, name: &str) -> (Option<&str>, Option<&str>) {
        (self.sent.event.attribute(name), self.event.attribute(name))
    }
}
