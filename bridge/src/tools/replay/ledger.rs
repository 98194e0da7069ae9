//! Pure: which messages are done in the place of the dead letters, by partition.

use std::collections::{BTreeMap, BTreeSet};

use super::done::Done;
use crate::transport::view::{Note, Spot};

/// The note of a partition may be so long while more failures are added to it: those that are under
/// way by then still fit.
const NOTE_ROOM: usize = Note::TEXT_MAX / 2;

#[derive(Debug, Default)]
pub(super) struct Ledger {
    done: BTreeMap<i32, Done>,
    /// The number behind the last message that was read, per partition.
    read: BTreeMap<i32, u64>,
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

    /// The notes that are no longer as they were written.
    pub(super) fn changed_notes(&self) -> BTreeMap<i32, Note> {
        let note = |partition: &i32| Some((*partition, self.done.get(partition)?.note()));
        self.changed.iter().filter_map(note).collect()
    }

    /// Notes that these were written.
    pub(super) fn noted(&mut self, written: &BTreeMap<i32, Note>) {
        let done = &self.done;
        self.changed
            .retain(|it| written.get(it) != done.get(it).map(Done::note).as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_read_is_done_only_when_it_is_finished_or_never_was() {
        let mut ledger = Ledger::default();
        // The first messages of the log are gone, and 12 never was.
        for number in [10, 11, 13, 14, 15] {
            assert!(!ledger.read(Spot::at(number)));
        }
        assert_eq!(ledger.changed_notes(), BTreeMap::new());
        for number in [10, 15] {
            ledger.finish(Spot::at(number));
        }
        let notes = ledger.changed_notes();
        let note = Note {
            next: 11,
            beyond: "1:1+1,2+1".to_owned(),
        };
        assert_eq!(notes, BTreeMap::from([(0, note)]));
        let mut again = Ledger::of(&notes);
        let done: Vec<u64> = (10..17).filter(|&n| again.read(Spot::at(n))).collect();
        assert_eq!(done, [10, 12, 15]);
    }

    #[test]
    fn more_failures_than_a_note_can_tell_end_it_before_anything_is_forgotten() {
        let mut ledger = Ledger::default();
        let full = (0..10_000).find(|&number| {
            ledger.read(Spot::at(number));
            if number % 2 == 0 {
                ledger.finish(Spot::at(number));
            }
            ledger.has_no_room(Spot::at(number + 1))
        });
        let full = full.unwrap_or(10_000);
        assert!((500..5_000).contains(&full), "{full}");
        let mut again = Ledger::of(&ledger.changed_notes());
        assert!((0..full).all(|number| again.read(Spot::at(number)) == (number % 2 == 0)));
        // What failed before is tried all the same.
        assert!(!again.has_no_room(Spot::at(1)));
    }
}
