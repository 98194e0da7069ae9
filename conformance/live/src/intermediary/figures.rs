//! The figures of a run: what was lost, invented, repeated, overtaken, refused or changed. A table of them,
//! for people.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

use cloudevents_nl_conformance::{Live, Shown, Text};

use super::Options;
use super::compare::{Kind, shown};
use super::load::place_of;
use super::story::{Incident, Outcome, Story};
use crate::command::name;
use crate::shown::{MOST_TOLD, text, told, why};

/// What is listed is told by id.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    pub(crate) sent: usize,
    pub(crate) taken: usize,
    pub(crate) arrived: usize,
    /// Taken in, and not come out.
    pub(crate) lost: Vec<String>,
    /// Come out, and never sent; without an id, the beginning of what came.
    pub(crate) invented: Vec<String>,
    /// Come out behind a later one of their key, or in another partition than the first of it.
    pub(crate) overtaken: Vec<String>,
    /// Not taken in: what was said.
    pub(crate) refused: Vec<String>,
    /// Not as they were, and nobody declared that not to matter.
    pub(crate) changed: Vec<String>,
    /// What differs and was declared not to matter.
    pub(crate) tolerated: BTreeMap<String, usize>,
    /// Come out once more, by what explains it.
    pub(crate) repeats: Vec<(Text, usize)>,
    /// The same, where nothing does.
    pub(crate) unexplained: Vec<String>,
    /// Messages of others on the same topic or subject.
    pub(crate) others: usize,
}

/// A repeat may come so long after what it comes of.
const AFTERMATH: Duration = Duration::from_secs(120);
/// The delivery before it was not taken.
const RECEIVER_FAILED: Text = text("receiver failed", "ontvanger faalde");
/// Nobody knew what became of the first offer.
const OFFERED_AGAIN: Text = text("offered again", "opnieuw aangeboden");

impl Figures {
    pub(crate) fn of(story: &Story) -> Self {
        let usual = story.sent.iter().filter(|sent| !sent.is_odd());
        let mut figures = Self {
            sent: usual.count(),
            ..Self::default()
        };
        figures.count_sent(story);
        figures.count_came(story);
        figures.judge_order(story);
        for pair in story.usual() {
            for difference in pair.differences() {
                let mut changed = format!("{}: {}", pair.event.id(), difference.told);
                if let Kind::Tolerable(tolerance) = difference.kind {
                    let name = name(&tolerance);
                    if story.tolerated.contains(&tolerance) {
                        *figures.tolerated.entry(name).or_default() += 1;
                        continue;
                    }
                    changed += &format!(" (--tolerate {name})");
                }
                figures.changed.push(changed);
            }
        }
        figures
    }

    fn count_sent(&mut self, story: &Story) {
        let taken = story.pairs().filter(|pair| pair.came.is_taken);
        let arrived: HashSet<_> = taken.map(|pair| pair.sent.event.identity()).collect();
        for sent in story.sent.iter().filter(|sent| !sent.is_odd()) {
            let id = sent.event.id().to_owned();
            let has_arrived = arrived.contains(&sent.event.identity());
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
        let index = story.index();
        // Whether the latest arrival of an event was taken.
        let mut latest = HashMap::new();
        for came in &story.came {
            if came.events.is_empty() {
                self.others += usize::from(!story.is_ours_unread(came));
            }
            for event in &came.events {
                let Some(sent) = index.find(event) else {
                    match story.is_ours(event) {
                        true if event.id().is_empty() => {
                            self.invented.push(shown(came.message.body()));
                        }
                        true => self.invented.push(event.id().to_owned()),
                        false => self.others += 1,
                    }
                    continue;
                };
                let Some(was_taken) = latest.insert(sent.event.identity(), came.is_taken) else {
                    continue;
                };
                let near = |incident: &&Incident| {
                    incident.at <= came.at && came.at - incident.at < AFTERMATH
                };
                let reason = match story.incidents.iter().rev().find(near) {
                    _ if !was_taken => RECEIVER_FAILED,
                    Some(incident) => incident.what,
                    None if sent.offers > 1 => OFFERED_AGAIN,
                    None => {
                        self.unexplained.push(event.id().to_owned());
                        continue;
                    }
                };
                match self.repeats.iter_mut().find(|(what, _)| *what == reason) {
                    Some((_, count)) => *count += 1,
                    None => self.repeats.push((reason, 1)),
                }
            }
        }
    }

    /// By first arrivals. Only records of one partition have an order.
    fn judge_order(&mut self, story: &Story) {
        // The lane of each key, and its latest number.
        let (mut latest, mut seen) = (HashMap::new(), HashSet::new());
        for pair in story.pairs().filter(|pair| pair.came.is_taken) {
            let id = pair.sent.event.id();
            let Some((key, number)) = place_of(&story.run, id) else {
                continue;
            };
            if !seen.insert((key, number)) {
                continue;
            }
            let own = pair.came.message.lane().unwrap_or_default();
            let (first, latest) = latest.entry(key).or_insert((own, number));
            if own != *first {
                self.overtaken.push(format!("{id}: {first} → {own}"));
            } else if number < *latest {
                self.overtaken.push(id.to_owned());
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
    /// Events that overtake others of their key, or come out in another partition than those
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
        let mut wrong = self.wrong().into_iter();
        wrong.all(|(kind, _, list)| list.is_empty() || allowed.contains(&kind))
    }

    fn wrong(&self) -> [(Allowance, Text, &[String]); 6] {
        use Allowance::{Changes, Invention, Loss, Order, Refusal, Repeats};
        [
            (Loss, text("lost", "verloren"), &self.lost),
            (Invention, text("invented", "verzonnen"), &self.invented),
            (Order, text("overtaken", "ingehaald"), &self.overtaken),
            (Refusal, text("refused", "geweigerd"), &self.refused),
            (Changes, text("changed", "veranderd"), &self.changed),
            (
                Repeats,
                text("unexplained", "onverklaard"),
                &self.unexplained,
            ),
        ]
    }

    pub(crate) fn table(&self, options: &Options, lives: &[Live]) -> String {
        let mut out = String::new();
        let mut row = |name: Text, count: usize, list: &[String]| {
            out += &format!("{:<12}{count:>8}\n", name.told(options.lang));
            for item in list.iter().take(MOST_TOLD) {
                out += &format!("    {item}\n");
            }
            if list.len() > MOST_TOLD {
                let left = list.len() - MOST_TOLD;
                let left = why(format!("{left} more"), format!("nog {left}"));
                out += &format!("    … {}\n", left.told(options.lang));
            }
        };
        row(text("sent", "verstuurd"), self.sent, &[]);
        row(text("taken", "aangenomen"), self.taken, &[]);
        row(text("arrived", "aangekomen"), self.arrived, &[]);
        for (_, name, list) in self.wrong() {
            row(name, list.len(), list);
        }
        let repeats = self.repeats.iter();
        let repeats = repeats.map(|(what, count)| (what.told(options.lang), count));
        let tolerated = self.tolerated.iter();
        let tolerated = tolerated.map(|(what, count)| (&**what, count));
        for (name, counts) in [
            (text("repeats", "herhaald"), repeats.collect::<Vec<_>>()),
            (text("tolerated", "getolereerd"), tolerated.collect()),
        ] {
            let all: usize = counts.iter().map(|(_, count)| **count).sum();
            let told = counts
                .iter()
                .map(|(what, count)| format!("{what}: {count}"));
            row(name, all, &told.collect::<Vec<_>>());
        }
        if self.others > 0 {
            row(text("others'", "van anderen"), self.others, &[]);
        }
        let met = lives.iter().filter(|live| live.shown == Shown::Met).count();
        row(text("rules met", "voldaan"), met, &[]);
        let broken = lives
            .iter()
            .filter(|live| matches!(live.shown, Shown::Broken(_)));
        let broken =
            broken.map(|live| format!("{} {}", live.rule.id, told(&live.shown, options.lang)));
        let broken: Vec<_> = broken.collect();
        row(text("broken", "geschonden"), broken.len(), &broken);
        let allowed: Vec<_> = options.allow.iter().map(name).collect();
        if !allowed.is_empty() {
            row(text("allowed", "toegestaan"), allowed.len(), &allowed);
        }
        out
    }
}
