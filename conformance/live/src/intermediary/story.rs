//! What happened: what went in, what came out, and what was done meanwhile. All judging is over this.

use std::collections::{BTreeMap, HashMap, HashSet};
use tokio::time::Instant;

use cloudevents_nl_conformance::{Capture, Exchange, Protocol, Text};

use super::compare::{Difference, Kind, Tolerance, differences};
use super::load::{RUN, digits};
use super::plain::Plain;
use super::specimens::{CLASSIFIED, ODD, SOURCE};
use crate::given::Given;

#[derive(Debug)]
pub(crate) struct Story {
    /// What ids of this run begin with.
    pub(crate) run: String,
    pub(crate) from: Protocol,
    pub(crate) to: Protocol,
    pub(crate) sent: Vec<Sent>,
    pub(crate) came: Vec<Came>,
    /// In which it asked the far end over HTTP for consent.
    pub(crate) handshakes: Vec<Exchange>,
    /// Nobody else's events come out at the far end.
    pub(crate) is_alone: bool,
    pub(crate) tolerated: Vec<Tolerance>,
    pub(crate) has_asked_for_batches: bool,
    pub(crate) incidents: Vec<Incident>,
    /// What it was given to deliver with over HTTP.
    pub(crate) given: Given,
}

#[derive(Clone, Debug)]
pub(crate) struct Incident {
    pub(crate) what: Text,
    pub(crate) at: Instant,
}

impl Incident {
    pub(crate) fn now(what: Text) -> Self {
        let at = Instant::now();
        Self { what, at }
    }
}

/// An event that went in, or should have.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    pub(crate) name: &'static str,
    pub(crate) event: Plain,
    pub(crate) message: Capture,
    pub(crate) outcome: Outcome,
    pub(crate) offers: usize,
    /// Those over HTTP that were answered.
    pub(crate) exchanges: Vec<Exchange>,
    /// The line of the record.
    pub(crate) line: u64,
}

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

    /// Whether a header or the body has a text, such as the name of a run in what lost its content type or the
    /// names of its headers.
    fn has_text(&self, text: &str) -> bool {
        let headers = self.message.headers.iter();
        let values = headers.filter_map(|header| header.value.as_deref());
        let mut parts = values.chain([self.message.body()]);
        parts.any(|part| {
            // In UTF-16 a zero stands beside each letter of ours.
            let without_zeros: Vec<_> = part.iter().copied().filter(|it| *it != 0).collect();
            let mut texts = without_zeros.windows(text.len());
            texts.any(|at| at == text.as_bytes())
        })
    }

    /// Whether it has the `id` of an event, with nothing behind it that would make that another, or may have.
    fn has_id(&self, id: &str) -> bool {
        let headers = self.message.headers.iter();
        let mut values = headers.filter_map(|header| header.value.as_deref());
        let is_header = values.any(|value| value == id.as_bytes());
        self.is_closed() || is_header || self.has_text(&format!("{id}\""))
    }

    /// Whether nobody can look into it: it is in a content coding, or stands for what came while the far end
    /// was not connected.
    pub(crate) fn is_closed(&self) -> bool {
        self.message.is_coded() || self.message.defect.is_some()
    }
}

/// An event that went in, and one of its arrivals, whether that was taken or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'s> {
    pub(crate) sent: &'s Sent,
    pub(crate) came: &'s Came,
    pub(crate) event: &'s Plain,
}

impl Story {
    /// Every arrival of what was sent, in order.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = Pair<'_>> {
        let index = self.index();
        let arrivals = self.came.iter();
        let arrivals = arrivals.flat_map(|came| came.events.iter().map(move |event| (came, event)));
        arrivals.filter_map(move |(came, event)| {
            let sent = index.find(event)?;
            Some(Pair { sent, came, event })
        })
    }

    /// Finds what was sent, also where it came out under another `id` alone: by what else it holds, and of
    /// several that hold the same, by whatever differs least.
    pub(crate) fn index(&self) -> Index<'_> {
        let mut index = Index::of(&self.sent);
        let taken = || self.came.iter().filter(|came| came.is_taken);
        let refused = self.came.iter().filter(|came| !came.is_taken);
        let arrived = taken().flat_map(|came| &came.events);
        let arrived = arrived.filter_map(|event| index.find(event));
        let mut arrived: HashSet<_> = arrived.map(|sent| sent.event.identity()).collect();
        let mut left: HashMap<_, Vec<&Sent>> = HashMap::new();
        for sent in &self.sent {
            if !arrived.contains(&sent.event.identity()) {
                left.entry(sent.event.content()).or_default().push(sent);
            }
        }
        // By `source` and `id`; in their order, so that it is the same each time.
        let mut renamed = BTreeMap::new();
        // What was refused may have been taken later, under yet another `id`.
        for came in taken().chain(refused) {
            for event in &came.events {
                let is_renamed = renamed.contains_key(&event.identity());
                let is_known = is_renamed || index.find(event).is_some();
                if is_known || event.id().is_empty() || !self.is_ours(event) {
                    continue;
                }
                let has_arrived = |sent: &Sent| arrived.contains(&sent.event.identity());
                let alike = left.get(&event.content()).into_iter().flatten().copied();
                let alike = alike.filter(|sent| !(came.is_taken && has_arrived(sent)));
                let nearest = alike.min_by_key(|sent| {
                    let differing = differences(&sent.event, event).len();
                    (differing, has_arrived(sent))
                });
                if let Some(sent) = nearest {
                    renamed.insert(event.identity(), sent);
                    if came.is_taken {
                        arrived.insert(sent.event.identity());
                    }
                }
            }
        }
        for ((_, id), sent) in renamed {
            index.0.entry(id).or_default().push(sent);
        }
        index
    }

    /// Whether what holds no event is to be blamed on the intermediary.
    pub(crate) fn is_ours_unread(&self, came: &Came) -> bool {
        let is_known = || came.is_closed() || came.has_text(&self.run);
        came.events.is_empty() && (self.is_alone || is_known())
    }

    /// Whether an event came out so that nobody can read it, or may have: other rules say why. What was refused
    /// did not.
    pub(crate) fn came_unread(&self, sent: &Sent) -> bool {
        let mut unread = self.came.iter().filter(|came| came.events.is_empty());
        let is_refused = matches!(sent.outcome, Outcome::Refused(_));
        !is_refused && unread.any(|came| came.has_id(sent.event.id()))
    }

    /// Whether an event that nobody sent is to be blamed on the intermediary. Those of other runs, and what
    /// others send to the same place, are not.
    pub(crate) fn is_ours(&self, event: &Plain) -> bool {
        let id = event.id();
        let is_alone = self.is_alone || event.attribute("source") == Some(SOURCE);
        let is_of = |run: &str| id.starts_with(run) || id.starts_with(&digits(run));
        is_of(&self.run) || is_alone && !is_of(RUN)
    }

    /// Those that may not be changed. What is classified may be refused, and no more than that.
    pub(crate) fn usual(&self) -> impl Iterator<Item = Pair<'_>> {
        let pairs = self.pairs();
        pairs.filter(|pair| !pair.sent.is_odd() || pair.sent.name == CLASSIFIED)
    }

    /// Those of one specimen.
    pub(crate) fn of_specimen(&self, name: &str) -> impl Iterator<Item = Pair<'_>> {
        self.pairs().filter(move |pair| pair.sent.name == name)
    }
}

/// Finds what was sent by what came of it.
pub(crate) struct Index<'s>(HashMap<&'s str, Vec<&'s Sent>>);

impl<'s> Index<'s> {
    pub(crate) fn of(all: &'s [Sent]) -> Self {
        let mut index: HashMap<_, Vec<_>> = HashMap::new();
        for sent in all.iter().filter(|sent| !sent.event.id().is_empty()) {
            index.entry(sent.event.id()).or_default().push(sent);
        }
        Self(index)
    }

    /// An event is known by `id`; of several that have the same, by whatever differs least, and best not in
    /// the data.
    pub(crate) fn find(&self, event: &Plain) -> Option<&'s Sent> {
        let all = self.0.get(event.id())?;
        if let [only] = all[..] {
            return Some(only);
        }
        let all = all.iter().copied();
        all.min_by_key(|sent| {
            let differing = differences(&sent.event, event);
            let has_other_data = differing.iter().any(|it| it.kind == Kind::Data);
            (differing.len(), has_other_data)
        })
    }
}

impl Sent {
    pub(crate) fn said(&self) -> &str {
        match &self.outcome {
            Outcome::Refused(said) | Outcome::Unknown(said) => said,
            Outcome::Taken => "∅",
        }
    }

    /// Whether an intermediary may refuse it.
    pub(crate) fn is_odd(&self) -> bool {
        ODD.contains(&self.name)
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

    /// The first that is wrong, for people.
    pub(crate) fn difference(&self, is_wrong: impl FnMut(&Difference) -> bool) -> Option<String> {
        let mut all = self.differences().into_iter();
        all.find(is_wrong).map(|difference| difference.told)
    }

    /// The value of an attribute before and behind.
    pub(crate) fn attribute(&self, name: &str) -> (Option<&str>, Option<&str>) {
        (self.sent.event.attribute(name), self.event.attribute(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_event_any_more_has_its_name() {
        let mut bare = Came::now(Capture::new(Protocol::Kafka));
        assert!(!bare.has_text("cenl-1"));
        bare.message.body = Some(br#"{"id":"cenl-1/plain"}"#.to_vec());
        assert!(bare.has_text("cenl-1") && !bare.has_text("cenl-2"));
        let misnamed = Capture::new(Protocol::Kafka).with_header("ce-id", "cenl-1/plain");
        let misnamed = Came::now(misnamed);
        assert!(misnamed.has_text("cenl-1"));
        let mut wide = Came::now(Capture::new(Protocol::Http));
        let text = br#"{"id":"cenl-1/plain"}"#.iter();
        wide.message.body = Some(text.flat_map(|byte| [0, *byte]).collect());
        for came in [&bare, &misnamed, &wide] {
            assert!(came.has_id("cenl-1/plain") && !came.has_id("cenl-1/pl"));
        }
    }
}
