//! Pure: which messages are done in the place of the dead letters, by partition, and the notes that
//! keep it. Dead letters that fail again stay undone among others that are done, so a watermark alone
//! would say too little: what is done behind it is a list of gaps and runs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use crate::transport::view::{Note, Spot};

/// How the text of a note begins; another beginning is of another version, and says nothing to us.
const VERSION: &str = "1:";

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

/// Numbers that are done: disjoint ranges that do not touch, from start to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Done(BTreeMap<u64, u64>);

impl Done {
    /// What a note says. A text that is none of ours says nothing, so more is sent again.
    fn of(note: &Note) -> Self {
        let mut done = Self::default();
        done.insert(0..note.next);
        for run in runs(note).unwrap_or_default() {
            done.insert(run);
        }
        done
    }

    /// The note that says the same; where it would be too long, less.
    fn note(&self) -> Note {
        let next = self.0.get(&0).copied().unwrap_or_default();
        let mut beyond = String::new();
        let mut before = next;
        for (&start, &end) in self.0.iter().filter(|(start, _)| **start > 0) {
            let kept = beyond.len();
            beyond.push_str(if beyond.is_empty() { VERSION } else { "," });
            write!(beyond, "{}+{}", start - before, end - start).expect("a string takes all");
            if beyond.len() > Note::TEXT_MAX {
                beyond.truncate(kept);
                break;
            }
            before = end;
        }
        Note { next, beyond }
    }

    /// The first number behind everything that is done.
    fn end(&self) -> u64 {
        self.0.last_key_value().map_or(0, |(_, &end)| end)
    }

    fn contains(&self, number: u64) -> bool {
        let before = self.0.range(..=number).next_back();
        before.is_some_and(|(_, &end)| number < end)
    }

    fn insert(&mut self, range: Range<u64>) {
        let Range { mut start, mut end } = range;
        if start >= end {
            return;
        }
        // Those that begin before or where it ends, and end where it begins or later, become one.
        while let Some((&first, &last)) = self.0.range(..=end).next_back()
            && last >= start
        {
            self.0.remove(&first);
            start = start.min(first);
            end = end.max(last);
        }
        self.0.insert(start, end);
    }
}

/// What is done behind the first number that is not.
fn runs(note: &Note) -> Option<Vec<Range<u64>>> {
    let mut end = note.next;
    let pairs = note.beyond.strip_prefix(VERSION)?.split(',');
    let runs = pairs.map(|pair| {
        let (gap, run) = pair.split_once('+')?;
        let start = end.checked_add(gap.parse().ok()?)?;
        end = start.checked_add(run.parse().ok()?)?;
        Some(start..end)
    });
    runs.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// In any order of insertions it holds what was inserted and nothing else, and a note gives
        /// it back.
        #[test]
        fn holds_what_was_inserted_and_its_note_gives_it_back(
            ranges in prop::collection::vec((0u64..60, 0u64..6), 0..40)
        ) {
            let (mut done, mut model) = (Done::default(), BTreeSet::new());
            for (start, length) in ranges {
                done.insert(start..start + length);
                model.extend(start..start + length);
                for number in 0..70 {
                    prop_assert_eq!(done.contains(number), model.contains(&number));
                }
                let first_undone = (0..).find(|number| !model.contains(number)).unwrap();
                prop_assert_eq!(done.note().next, first_undone);
                prop_assert_eq!(&Done::of(&done.note()), &done);
            }
        }

        /// Whatever stands in a note, reading it does not fail, and what it counts as done up to the
        /// first that is not is kept.
        #[test]
        fn any_text_is_a_note(next in 0u64..9, beyond in ".{0,20}|1:[0-9+,]{0,20}") {
            let done = Done::of(&Note { next, beyond });
            prop_assert!((0..next).all(|number| done.contains(number)));
        }
    }

    #[test]
    fn a_note_that_would_be_too_long_says_less() {
        let mut done = Done::default();
        (0..2_000).for_each(|number| done.insert(2 * number..2 * number + 1));
        let note = done.note();
        assert!((Note::TEXT_MAX - 8..=Note::TEXT_MAX).contains(&note.beyond.len()));
        let kept = Done::of(&note);
        assert!(kept.end() > 1_000 && kept.end() < done.end());
        assert!((0..kept.end()).all(|number| kept.contains(number) == done.contains(number)));
    }

    #[test]
    fn a_note_can_be_read_by_people() {
        let mut done = Done::default();
        for range in [0..3, 4..100, 101..121] {
            done.insert(range);
        }
        let note = Note {
            next: 3,
            beyond: "1:1+96,1+20".to_owned(),
        };
        assert_eq!(done.note(), note);
        let other = Note {
            beyond: "2:1+96".to_owned(),
            ..note
        };
        assert!(!Done::of(&other).contains(4));
    }

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
