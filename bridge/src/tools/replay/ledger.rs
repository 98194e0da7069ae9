//! Pure: which dead letters are done, by partition, and the checkpoints that keep it. Those that fail again
//! stay undone among others, so a checkpoint is a list of ranges and not one offset.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::ops::Range;

use crate::transport::view::{Checkpoint, PartitionOffset};

/// Texts of another version say nothing.
const VERSION: &str = "1:";

/// So long may a text be while more is sent: the failures under way still fit behind it.
const CHECKPOINT_ROOM: usize = Checkpoint::TEXT_MAX / 2;

#[derive(Debug, Default)]
pub(super) struct Ledger {
    done: BTreeMap<i32, DoneRanges>,
    /// The offset behind the last message that was read, per partition.
    read: BTreeMap<i32, u64>,
    changed: BTreeSet<i32>,
}

impl Ledger {
    pub(super) fn of(checkpoints: &BTreeMap<i32, Checkpoint>) -> Self {
        let done = checkpoints
            .iter()
            .map(|(partition, checkpoint)| (*partition, DoneRanges::of(checkpoint)));
        Self {
            done: done.collect(),
            ..Self::default()
        }
    }

    /// A message was read, and there is none between it and the one before; true when it is done.
    pub(super) fn read(&mut self, at: PartitionOffset) -> bool {
        let before = self.read.insert(at.partition, at.offset + 1);
        let gap = before.unwrap_or_default()..at.offset;
        let done = self.done.entry(at.partition).or_default();
        done.insert(gap);
        done.contains(at.offset)
    }

    pub(super) fn finish(&mut self, at: PartitionOffset) {
        let done = self.done.entry(at.partition).or_default();
        if !done.contains(at.offset) {
            done.insert(at.offset..at.offset + 1);
            self.changed.insert(at.partition);
        }
    }

    /// A failure behind these might not fit into the checkpoint, so nobody would know that it was sent.
    pub(super) fn has_no_room(&self, at: PartitionOffset) -> bool {
        self.done.get(&at.partition).is_some_and(|done| {
            at.offset >= done.end() && done.checkpoint().beyond.len() > CHECKPOINT_ROOM
        })
    }

    pub(super) fn changed_checkpoints(&self) -> BTreeMap<i32, Checkpoint> {
        let checkpoint =
            |partition: &i32| Some((*partition, self.done.get(partition)?.checkpoint()));
        self.changed.iter().filter_map(checkpoint).collect()
    }

    pub(super) fn saved(&mut self, written: &BTreeMap<i32, Checkpoint>) {
        let done = &self.done;
        self.changed
            .retain(|it| written.get(it) != done.get(it).map(DoneRanges::checkpoint).as_ref());
    }
}

/// Disjoint ranges that do not touch, start to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct DoneRanges(BTreeMap<u64, u64>);

impl DoneRanges {
    /// A text of another version says nothing, so more is sent again.
    fn of(checkpoint: &Checkpoint) -> Self {
        let mut done = Self::default();
        done.insert(0..checkpoint.next);
        for run in runs(checkpoint).unwrap_or_default() {
            done.insert(run);
        }
        done
    }

    /// The checkpoint that says the same; where it would be too long, less.
    fn checkpoint(&self) -> Checkpoint {
        let next = self.0.get(&0).copied().unwrap_or_default();
        let mut beyond = String::new();
        let mut before = next;
        for (&start, &end) in self.0.iter().filter(|(start, _)| **start > 0) {
            let kept = beyond.len();
            beyond.push_str(if beyond.is_empty() { VERSION } else { "," });
            write!(beyond, "{}+{}", start - before, end - start).expect("a string takes all");
            if beyond.len() > Checkpoint::TEXT_MAX {
                beyond.truncate(kept);
                break;
            }
            before = end;
        }
        Checkpoint { next, beyond }
    }

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
        // Ranges that overlap or touch become one.
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

fn runs(checkpoint: &Checkpoint) -> Option<Vec<Range<u64>>> {
    let mut end = checkpoint.next;
    let pairs = checkpoint.beyond.strip_prefix(VERSION)?.split(',');
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
            let (mut done, mut model) = (DoneRanges::default(), BTreeSet::new());
            for (start, length) in ranges {
                done.insert(start..start + length);
                model.extend(start..start + length);
                for number in 0..70 {
                    prop_assert_eq!(done.contains(number), model.contains(&number));
                }
                let first_undone = (0..).find(|number| !model.contains(number)).unwrap();
                prop_assert_eq!(done.checkpoint().next, first_undone);
                prop_assert_eq!(&DoneRanges::of(&done.checkpoint()), &done);
            }
        }

        /// Whatever stands in a note, reading it does not fail, and what it counts as done up to the
        /// first that is not is kept.
        #[test]
        fn any_text_is_a_note(next in 0u64..9, beyond in ".{0,20}|1:[0-9+,]{0,20}") {
            let done = DoneRanges::of(&Checkpoint { next, beyond });
            prop_assert!((0..next).all(|number| done.contains(number)));
        }
    }

    #[test]
    fn a_note_that_would_be_too_long_says_less() {
        let mut done = DoneRanges::default();
        (0..2_000).for_each(|number| done.insert(2 * number..2 * number + 1));
        let checkpoint = done.checkpoint();
        assert!(
            (Checkpoint::TEXT_MAX - 8..=Checkpoint::TEXT_MAX).contains(&checkpoint.beyond.len())
        );
        let kept = DoneRanges::of(&checkpoint);
        assert!(kept.end() > 1_000 && kept.end() < done.end());
        assert!((0..kept.end()).all(|number| kept.contains(number) == done.contains(number)));
    }

    #[test]
    fn a_note_can_be_read_by_people() {
        let mut done = DoneRanges::default();
        for range in [0..3, 4..100, 101..121] {
            done.insert(range);
        }
        let checkpoint = Checkpoint {
            next: 3,
            beyond: "1:1+96,1+20".to_owned(),
        };
        assert_eq!(done.checkpoint(), checkpoint);
        let other = Checkpoint {
            beyond: "2:1+96".to_owned(),
            ..checkpoint
        };
        assert!(!DoneRanges::of(&other).contains(4));
    }

    #[test]
    fn what_was_read_is_done_only_when_it_is_finished_or_never_was() {
        let mut ledger = Ledger::default();
        // The first messages of the log are gone, and 12 never was.
        for number in [10, 11, 13, 14, 15] {
            assert!(!ledger.read(PartitionOffset::at(number)));
        }
        assert_eq!(ledger.changed_checkpoints(), BTreeMap::new());
        for number in [10, 15] {
            ledger.finish(PartitionOffset::at(number));
        }
        let checkpoints = ledger.changed_checkpoints();
        let checkpoint = Checkpoint {
            next: 11,
            beyond: "1:1+1,2+1".to_owned(),
        };
        assert_eq!(checkpoints, BTreeMap::from([(0, checkpoint)]));
        let mut again = Ledger::of(&checkpoints);
        let done: Vec<u64> = (10..17)
            .filter(|&n| again.read(PartitionOffset::at(n)))
            .collect();
        assert_eq!(done, [10, 12, 15]);
    }

    #[test]
    fn more_failures_than_a_note_can_tell_end_it_before_anything_is_forgotten() {
        let mut ledger = Ledger::default();
        let full = (0..10_000).find(|&number| {
            ledger.read(PartitionOffset::at(number));
            if number % 2 == 0 {
                ledger.finish(PartitionOffset::at(number));
            }
            ledger.has_no_room(PartitionOffset::at(number + 1))
        });
        let full = full.unwrap_or(10_000);
        assert!((500..5_000).contains(&full), "{full}");
        let mut again = Ledger::of(&ledger.changed_checkpoints());
        assert!(
            (0..full).all(|number| again.read(PartitionOffset::at(number)) == (number % 2 == 0))
        );
        // What failed before is tried all the same.
        assert!(!again.has_no_room(PartitionOffset::at(1)));
    }
}
