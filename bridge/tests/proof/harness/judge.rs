//! The judgement over every event of a pair, once it is over.

use std::collections::{BTreeMap, BTreeSet};

use super::director::Incident;
use super::ledger::{Book, event};

/// What became of the events of one pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Judgement {
    pub(crate) pair: &'static str,
    pub(crate) sent: usize,
    pub(crate) arrived: usize,
    /// Sent, and not at the far end.
    pub(crate) lost: Vec<String>,
    /// First arrivals behind the first arrival of a later event of their key.
    pub(crate) overtaken: Vec<String>,
    /// Seen by a receiver before an earlier event of their key was taken.
    pub(crate) jumped: Vec<String>,
    /// Arrived, and never sent, or not so.
    pub(crate) strange: Vec<String>,
    /// Answers that no sender should get.
    pub(crate) refused: Vec<String>,
    /// Arrivals of an event that had arrived.
    pub(crate) repeats: usize,
    /// How many of them because the sender had offered the event again.
    pub(crate) offered_again: usize,
    /// The others by the incident that lies between an arrival and its repeat, the latest of them.
    pub(crate) caused: BTreeMap<String, usize>,
    /// Those for which there is none.
    pub(crate) uncaused: Vec<String>,
    /// For each lone kill: repeats of events above and below the watermark at that moment.
    pub(crate) kills: Vec<AfterKill>,
    /// Dead letters of malformed events, of which each is expected.
    pub(crate) malformed: usize,
    pub(crate) dead: usize,
    /// Malformed events without a dead letter.
    pub(crate) unburied: usize,
    /// Dead letters of events that could be delivered.
    pub(crate) undeserved: Vec<String>,
}

/// Repeats after a kill.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AfterKill {
    /// Of events that stood behind one that had not arrived: no commit could have covered them.
    pub(crate) above: usize,
    /// Of events that a commit could have covered.
    pub(crate) below: usize,
}

/// When each event had arrived, first and later.
type Arrivals = BTreeMap<(usize, u32), Vec<u32>>;

impl Judgement {
    /// Judges the books of a pair and the ids of its dead letters, where it has any: a sender over
    /// HTTP hears itself that its event is malformed.
    pub(crate) fn of(
        pair: &'static str,
        book: &Book,
        incidents: &[Incident],
        dead_letters: Option<&[String]>,
    ) -> Self {
        let mut judgement = Self {
            pair,
            sent: book.sent(),
            strange: book.strange.clone(),
            jumped: book.jumped.clone(),
            refused: book.refused.clone(),
            malformed: book.malformed,
            ..Self::default()
        };
        judgement.judge_loss(book);
        judgement.judge_order(book);
        if let Some(dead_letters) = dead_letters {
            judgement.judge_dead_letters(dead_letters);
        }
        let mut arrivals = Arrivals::new();
        for arrival in &book.arrivals {
            let moments = arrivals.entry((arrival.key, arrival.number)).or_default();
            moments.push(arrival.at);
        }
        judgement.arrived = arrivals.len();
        judgement.judge_repeats(book, &arrivals, incidents);
        judgement.judge_kills(book, &arrivals, incidents);
        judgement
    }

    fn judge_loss(&mut self, book: &Book) {
        for (key, own) in book.keys.iter().enumerate() {
            let missing = (own.missing..own.sent).filter(|number| !own.has(*number));
            self.lost
                .extend(missing.map(|number| event(key, number).id()));
        }
    }

    fn judge_order(&mut self, book: &Book) {
        let mut seen = BTreeSet::new();
        let mut highest = BTreeMap::new();
        for arrival in &book.arrivals {
            if seen.insert((arrival.key, arrival.number)) {
                let highest = highest.entry(arrival.key).or_insert(arrival.number);
                if *highest > arrival.number {
                    self.overtaken.push(event(arrival.key, arrival.number).id());
                }
                *highest = arrival.number.max(*highest);
            }
        }
    }

    fn judge_dead_letters(&mut self, dead_letters: &[String]) {
        self.dead = dead_letters.len();
        let is_malformed = |id: &&String| id.starts_with("malformed/");
        let buried: BTreeSet<_> = dead_letters.iter().filter(is_malformed).collect();
        self.unburied = self.malformed.saturating_sub(buried.len());
        let others = dead_letters.iter().filter(|id| !is_malformed(id));
        self.undeserved = others.cloned().collect();
    }

    /// A repeat has a cause when something went wrong between the two arrivals, or the sender had
    /// offered the event more than once.
    fn judge_repeats(&mut self, book: &Book, arrivals: &Arrivals, incidents: &[Incident]) {
        for ((key, number), moments) in arrivals {
            let again = book.keys[*key].offered_again.get(number);
            let mut again = again.map_or(0, |count| *count as usize);
            for pair in moments.windows(2) {
                self.repeats += 1;
                if again > 0 {
                    again -= 1;
                    self.offered_again += 1;
                    continue;
                }
                let between = incidents
                    .iter()
                    .rfind(|incident| incident.began <= pair[1] && incident.over() >= pair[0]);
                match between {
                    Some(incident) => *self.caused.entry(incident.name.clone()).or_default() += 1,
                    None => {
                        let id = event(*key, *number).id();
                        self.uncaused
                            .push(format!("{id} at {} and {} ms", pair[0], pair[1]));
                    }
                }
            }
        }
    }

    fn judge_kills(&mut self, book: &Book, arrivals: &Arrivals, incidents: &[Incident]) {
        if book.places.is_empty() {
            return;
        }
        let lone = incidents
            .iter()
            .enumerate()
            .filter(|(_, incident)| incident.is_lone_kill);
        for (index, incident) in lone {
            let end = incidents.get(index + 1).map_or(u32::MAX, |next| next.began);
            let (mut partition, mut is_open) = (None, false);
            let mut after = AfterKill::default();
            for (place, event) in &book.places {
                if partition != Some(place.0) {
                    (partition, is_open) = (Some(place.0), false);
                }
                let moments = arrivals.get(event).map_or(&[][..], Vec::as_slice);
                let had_arrived = moments.first().is_some_and(|at| *at <= incident.began);
                is_open |= !had_arrived;
                let is_repeated = moments
                    .iter()
                    .any(|at| (incident.began..end).contains(at) && *at > moments[0]);
                match (had_arrived && is_repeated, is_open) {
                    (true, true) => after.above += 1,
                    (true, false) => after.below += 1,
                    (false, _) => {}
                }
            }
            self.kills.push(after);
        }
    }

    /// Everything that breaks the promise, in words.
    pub(crate) fn faults(&self) -> Vec<String> {
        let list = |what: &str, ids: &[String]| {
            let first: Vec<_> = ids.iter().take(10).collect();
            (!ids.is_empty()).then(|| format!("{}: {} {what}: {first:?}", self.pair, ids.len()))
        };
        let count = |what: &str, count: usize| {
            (count > 0).then(|| format!("{}: {count} {what}", self.pair))
        };
        [
            list("lost", &self.lost),
            list("overtaken", &self.overtaken),
            list("sent before an earlier one was taken", &self.jumped),
            list("strange", &self.strange),
            list("answers that no sender should get", &self.refused),
            list("undeserved dead letters", &self.undeserved),
            count("malformed events without a dead letter", self.unburied),
            list("repeats without a cause", &self.uncaused),
        ]
        .into_iter()
        .flatten()
        .collect()
    }
}
