//! The figures of a run: what was lost, invented, repeated, overtaken, refused or changed.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use super::load::{RUN, place_of};
use super::story::{Outcome, Story};
use crate::command::name;

/// See the module. What is listed is told by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) sent: usize,
    pub(crate) taken: usize,
    pub(crate) arrived: usize,
    /// Taken in, and not come out.
    pub(crate) lost: Vec<String>,
    /// Come out, and never sent.
    pub(crate) invented: Vec<String>,
    /// Come out behind a later one of their key.
    pub(crate) overtaken: Vec<String>,
    /// Not taken in: what was said.
    pub(crate) refused: Vec<String>,
    /// Not as they were, and nobody declared that not to matter.
    pub(crate) changed: Vec<String>,
    /// What differs and was declared not to matter.
    pub(crate) tolerated: BTreeMap<String, usize>,
    /// Come out once more, by what explains it.
    pub(crate) repeats: BTreeMap<String, usize>,
    /// The same, where nothing does.
    pub(crate) unexplained: Vec<String>,
    /// Messages of others on the same topic or subject.
    pub(crate) others: usize,
}

/// A repeat may come so long after what it comes of.
const AFTERMATH: Duration = Duration::from_secs(120);

impl Figures {
    pub(crate) fn of(story: &Story) -> Self {
        let usual = story.sent.iter().filter(|sent| !sent.is_odd);
        let mut figures = Self {
            sent: usual.count(),
            ..Self::default()
        };
        figures.count_sent(story);
        figures.count_came(story);
        figures.judge_order(story);
        for pair in story.usual() {
            for difference in pair.differences() {
                match difference
                    .tolerance()
                    .filter(|one| story.tolerated.contains(one))
                {
                    Some(tolerance) => *figures.tolerated.entry(name(&tolerance)).or_default() += 1,
                    None => figures
                        .changed
                        .push(format!("{}: {difference}", pair.event.id())),
                }
            }
        }
        figures
    }

    fn count_sent(&mut self, story: &Story) {
        let arrived: HashSet<_> = story.pairs().iter().map(|pair| pair.event.id()).collect();
        for sent in story.sent.iter().filter(|sent| !sent.is_odd) {
            let id = sent.event.id().to_owned();
            let has_arrived = arrived.contains(&*id);
            self.arrived += usize::from(has_arrived);
            match &sent.outcome {
                Outcome::Taken => self.taken += 1,
                Outcome::Refused(said) | Outcome::Unknown(said) if !has_arrived => {
                    self.refused.push(format!("{id}: {said}"));
                    continue;
                }
                Outcome::Refused(_) | Outcome::Unknown(_) => {}
            }
            if !has_arrived {
                self.lost.push(id);
            }
        }
    }

    fn count_came(&mut self, story: &Story) {
        let sent: HashMap<_, _> = story
            .sent
            .iter()
            .map(|sent| (sent.event.id(), sent))
            .collect();
        let (mut seen, mut failed) = (HashSet::new(), HashSet::new());
        for came in &story.came {
            if came.events.is_empty() {
                self.others += usize::from(!story.is_alone);
            }
            for event in &came.events {
                let id = event.id();
                let Some(sent) = sent.get(id) else {
                    match id.starts_with(&story.run) || story.is_alone && !id.starts_with(RUN) {
                        true => self.invented.push(id.to_owned()),
                        false => self.others += 1,
                    }
                    continue;
                };
                if !came.is_taken {
                    failed.insert(id);
                    continue;
                }
                if seen.insert(id) {
                    continue;
                }
                let near = |incident: &&super::story::Incident| {
                    incident.at <= came.at && came.at - incident.at < AFTERMATH
                };
                let explained = match story.incidents.iter().rev().find(near) {
                    Some(incident) => incident.what,
                    None if failed.contains(id) => "receiver failed",
                    None if sent.offers > 1 => "offered again",
                    None => {
                        self.unexplained.push(id.to_owned());
                        continue;
                    }
                };
                *self.repeats.entry(explained.to_owned()).or_default() += 1;
            }
        }
    }

    /// By first arrivals.
    fn judge_order(&mut self, story: &Story) {
        let mut latest: BTreeMap<usize, usize> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        let events = story
            .came
            .iter()
            .filter(|came| came.is_taken)
            .flat_map(|came| &came.events);
        for event in events {
            let Some((key, number)) = place_of(&story.run, event.id()) else {
                continue;
            };
            if !seen.insert((key, number)) {
                continue;
            }
            let latest = latest.entry(key).or_insert(number);
            if number < *latest {
                self.overtaken.push(event.id().to_owned());
            }
            *latest = number.max(*latest);
        }
    }
}

/// What an operator declares not to make a run fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Allowance {
    /// Events that come out once more for no reason
    Repeats,
    /// Events that overtake others of their key
    Order,
    /// Events that do not come out
    Loss,
    /// Events that nobody sent
    Invention,
    /// Events that are not taken in
    Refusal,
    /// Events that come out as others
    Changes,
}

impl Figures {
    /// Whether nothing is wrong, but for what is allowed.
    pub(crate) fn is_good(&self, allowed: &[Allowance]) -> bool {
        let kinds = [
            (Allowance::Repeats, &self.unexplained),
            (Allowance::Order, &self.overtaken),
            (Allowance::Loss, &self.lost),
            (Allowance::Invention, &self.invented),
            (Allowance::Refusal, &self.refused),
            (Allowance::Changes, &self.changed),
        ];
        let mut kinds = kinds.iter();
        kinds.all(|(kind, list)| list.is_empty() || allowed.contains(kind))
    }
}
