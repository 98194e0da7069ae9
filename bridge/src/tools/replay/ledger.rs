//! Pure: what is under way, what became of it, and what is done in the place of the dead letters.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::super::shown::Shown;
use super::done::Done;
use crate::delivery::{Position, Verdict};
use crate::route::dead_letter::Explanation;
use crate::transport::view::{Note, Spot};

/// The note of a partition may be so long while more failures are added to it: those that are under
/// way by then still fit.
const NOTE_ROOM: usize = Note::TEXT_MAX / 2;

/// A dead letter that is to be sent again.
#[derive(Debug)]
pub(super) struct Letter {
    pub(super) spot: Spot,
    pub(super) position: Position,
    pub(super) shown: Shown,
    /// Why it became a dead letter.
    pub(super) explanation: Explanation,
    /// It was delivered by an earlier replay, and is sent because it was asked for by its id.
    pub(super) was_done: bool,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    done: BTreeMap<i32, Done>,
    /// The number behind the last message that was read, per partition.
    read: BTreeMap<i32, u64>,
    open: HashMap<u64, Letter>,
    changed: BTreeSet<i32>,
}

impl Ledger {
    pub(super) fn of(notes: &BTreeMap<i32, Note>) -> Self {
        let done = notes
            .iter()
            .map(|(partition, note)| (*partition, Done::of(note)));
        Self {
            done: done.collect(),
            ..Self::default()
        }
    }

    /// Notes that a message was read, and that there is none between it and the one before; whether it
    /// is done.
    pub(super) fn read(&mut self, spot: Spot) -> bool {
        let before = self.read.insert(spot.partition, spot.number + 1);
        let gap = before.unwrap_or_default()..spot.number;
        let done = self.done.entry(spot.partition).or_default();
        done.insert(gap);
        done.contains(spot.number)
    }

    /// Notes that nothing is to be done about a message any more.
    pub(super) fn finish(&mut self, spot: Spot) {
        let done = self.done.entry(spot.partition).or_default();
        if !done.contains(spot.number) {
            done.insert(spot.number..spot.number + 1);
            self.changed.insert(spot.partition);
        }
    }

    /// Whether so many failures are noted in its partition that one more behind them might not be:
    /// then it must not be sent, because nobody would know afterwards that it was.
    pub(super) fn has_no_room(&self, spot: Spot) -> bool {
        self.done
            .get(&spot.partition)
            .is_some_and(|done| spot.number >= done.end() && done.note().beyond.len() > NOTE_ROOM)
    }

    pub(super) fn send(&mut self, sequence: u64, letter: Letter) {
        self.open.insert(sequence, letter);
    }

    /// A verdict was given. What the route calls a dead letter stays one, and so does what its filter
    /// does not want: another filter may.
    pub(super) fn settle(&mut self, sequence: u64, verdict: Verdict) -> Option<Letter> {
        let letter = self.open.remove(&sequence)?;
        if verdict == Verdict::Delivered {
            self.finish(letter.spot);
        }
        Some(letter)
    }

    /// Whether nothing is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.open.is_empty()
    }

    /// What is under way, in no order.
    pub(super) fn into_open(self) -> impl Iterator<Item = Letter> {
        self.open.into_values()
    }

    /// The notes that are no longer as they were written.
    pub(super) fn changed_notes(&self) -> BTreeMap<i32, Note> {
        let note = |partition: &i32| Some((*partition, self.done.get(partition)?.note()));
        self.changed.iter().filter_map(note).collect()
    }

    /// Notes that they were written.
    pub(super) fn noted(&mut self) {
        self.changed.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(number: u64) -> Spot {
        Spot {
            partition: 0,
            number,
        }
    }

    fn letter(number: u64) -> Letter {
        Letter {
            spot: spot(number),
            position: Position::numbered("memory:0/", 0),
            shown: Shown::default(),
            explanation: Explanation::default(),
            was_done: false,
        }
    }

    #[test]
    fn only_what_was_delivered_is_done() {
        let mut ledger = Ledger::default();
        for (number, verdict) in [
            // The first messages of the log are gone, and 12 never was.
            (10, Verdict::Delivered),
            (11, Verdict::DeadLettered),
            (13, Verdict::Filtered),
            (14, Verdict::Discarded),
            (15, Verdict::Delivered),
        ] {
            ledger.read(spot(number));
            ledger.send(number, letter(number));
            assert!(ledger.settle(number, verdict).is_some());
        }
        let notes = ledger.changed_notes();
        let note = Note {
            next: 11,
            beyond: "1:1+1,2+1".to_owned(),
        };
        assert_eq!(notes, BTreeMap::from([(0, note)]));
        let mut again = Ledger::of(&notes);
        let done: Vec<u64> = (10..17).filter(|&n| again.read(spot(n))).collect();
        assert_eq!(done, [10, 12, 15]);
    }

    #[test]
    fn what_is_under_way_is_not_done() {
        let mut ledger = Ledger::default();
        ledger.read(spot(0));
        ledger.send(0, letter(0));
        assert!(!ledger.is_idle() && !ledger.read(spot(0)));
        assert_eq!(ledger.changed_notes(), BTreeMap::new());
        assert_eq!(ledger.into_open().count(), 1);
    }

    #[test]
    fn more_failures_than_a_note_can_tell_end_it_before_anything_is_forgotten() {
        let mut ledger = Ledger::default();
        let full = (0..10_000).find(|&number| {
            ledger.read(spot(number));
            if number % 2 == 0 {
                ledger.finish(spot(number));
            }
            ledger.has_no_room(spot(number + 1))
        });
        let full = full.unwrap_or(10_000);
        assert!((500..5_000).contains(&full), "{full}");
        let mut again = Ledger::of(&ledger.changed_notes());
        assert!((0..full).all(|number| again.read(spot(number)) == (number % 2 == 0)));
        // What failed before is tried all the same.
        assert!(!again.has_no_room(spot(1)));
    }
}
