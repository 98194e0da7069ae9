//! Pure: which dead letters an operator has dealt with, by partition, and the checkpoints that keep it. Those
//! that fail again stay open among others, so a checkpoint is a list of ranges and not one offset.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::ops::Range;

pub(super) use crate::admin::overview::LetterState;
use crate::transport::view::{Checkpoint, PartitionOffset};

/// Texts of another version say nothing.
const VERSION: &str = "1:";
/// Between the ranges that are done and those of them that were dismissed.
const DISMISSED: char = ';';

/// So long may a text be while more is sent: the failures under way still fit behind it.
pub(super) const CHECKPOINT_ROOM: usize = Checkpoint::TEXT_MAX / 2;

impl fmt::Display for LetterState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Open => "dead-letter",
            Self::Replayed => "replayed",
            Self::Dismissed => "dismissed",
        })
    }
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    partitions: BTreeMap<i32, Noted>,
    /// Since the checkpoints were written.
    pub(super) is_changed: bool,
}

impl Ledger {
    pub(super) fn of(checkpoints: &BTreeMap<i32, Checkpoint>) -> Self {
        let noted = checkpoints.iter();
        Self {
            partitions: noted.map(|(it, text)| (*it, Noted::of(text))).collect(),
            ..Self::default()
        }
    }

    pub(super) fn state(&self, at: PartitionOffset) -> LetterState {
        match self.partitions.get(&at.partition) {
            Some(noted) if noted.dismissed.contains(at.offset) => LetterState::Dismissed,
            Some(noted) if noted.done.contains(at.offset) => LetterState::Replayed,
            _ => LetterState::Open,
        }
    }

    /// A message was read, and there is none between it and the one before.
    pub(super) fn read(&mut self, at: PartitionOffset) -> LetterState {
        let noted = self.partitions.entry(at.partition).or_default();
        noted.done.insert(noted.read..at.offset);
        noted.read = at.offset + 1;
        self.state(at)
    }

    pub(super) fn finish(&mut self, at: PartitionOffset) {
        if self.state(at) != LetterState::Replayed {
            let noted = self.partitions.entry(at.partition).or_default();
            noted.done.insert(at.offset..at.offset + 1);
            noted.dismissed.remove(at.offset);
            self.is_changed = true;
        }
    }

    /// One that is open.
    pub(super) fn dismiss(&mut self, at: PartitionOffset) {
        let noted = self.partitions.entry(at.partition).or_default();
        noted.done.insert(at.offset..at.offset + 1);
        noted.dismissed.insert(at.offset..at.offset + 1);
        self.is_changed = true;
    }

    /// A failure behind these might not fit into the checkpoint, so nobody would know that it was sent.
    pub(super) fn has_no_room(&self, at: PartitionOffset) -> bool {
        self.partitions.get(&at.partition).is_some_and(|noted| {
            at.offset >= noted.done.end() && noted.checkpoint().beyond.len() > CHECKPOINT_ROOM
        })
    }

    /// How many offsets are done and find no room in the checkpoints.
    pub(super) fn unnoted(&self) -> u64 {
        let partitions = self.partitions.values();
        let unnoted = partitions.map(|noted| {
            let kept = Noted::of(&noted.checkpoint());
            noted.done.count() - kept.done.count()
        });
        unnoted.sum()
    }

    /// What is to be written; nothing where nothing changed.
    pub(super) fn changes(&self) -> BTreeMap<i32, Checkpoint> {
        let partitions = self.partitions.iter().filter(|_| self.is_changed);
        let checkpoints = partitions.map(|(it, noted)| (*it, noted.checkpoint()));
        checkpoints
            .filter(|(_, checkpoint)| *checkpoint != Checkpoint::default())
            .collect()
    }
}

/// Of one partition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Noted {
    done: Ranges,
    /// A part of what is done.
    dismissed: Ranges,
    /// The offset behind the last message that was read.
    read: u64,
}

impl Noted {
    /// A text of another version says nothing, so more is sent again.
    fn of(checkpoint: &Checkpoint) -> Self {
        let mut noted = Self::default();
        noted.done.insert(0..checkpoint.next);
        let text = checkpoint.beyond.strip_prefix(VERSION).unwrap_or_default();
        let (done, dismissed) = text.split_once(DISMISSED).unwrap_or((text, ""));
        for run in runs(checkpoint.next, done).unwrap_or_default() {
            noted.done.insert(run);
        }
        for run in runs(0, dismissed).unwrap_or_default() {
            noted.done.insert(run.clone());
            noted.dismissed.insert(run);
        }
        noted
    }

    /// The checkpoint that says the same; where it would be too long, less.
    fn checkpoint(&self) -> Checkpoint {
        let next = self.done.0.get(&0).copied().unwrap_or_default();
        // Cut last: what was dismissed must not be sent, what was replayed may be repeated.
        let mut dismissed = String::new();
        if !self.dismissed.0.is_empty() {
            dismissed.push(DISMISSED);
            let ranges = self.dismissed.0.iter();
            write_runs(&mut dismissed, 0, ranges, Checkpoint::TEXT_MAX);
        }
        let mut beyond = VERSION.to_owned();
        let room = Checkpoint::TEXT_MAX.saturating_sub(dismissed.len());
        write_runs(&mut beyond, next, self.done.0.range(1..), room);
        beyond.push_str(&dismissed);
        if beyond == VERSION {
            beyond.clear();
        }
        Checkpoint { next, beyond }
    }
}

/// Disjoint ranges that do not touch, start to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Ranges(BTreeMap<u64, u64>);

impl Ranges {
    fn end(&self) -> u64 {
        self.0.last_key_value().map_or(0, |(_, &end)| end)
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|(start, end)| end - start).sum()
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

    fn remove(&mut self, number: u64) {
        if let Some((&start, &end)) = self.0.range(..=number).next_back()
            && number < end
        {
            self.0.remove(&start);
            self.insert(start..number);
            self.insert(number + 1..end);
        }
    }
}

/// Gaps and lengths, as many as fit: `1+96,1+20`.
fn write_runs<'r>(
    text: &mut String,
    mut before: u64,
    ranges: impl Iterator<Item = (&'r u64, &'r u64)>,
    room: usize,
) {
    let start_of_list = text.len();
    for (&start, &end) in ranges {
        let kept = text.len();
        let comma = if kept > start_of_list { "," } else { "" };
        write!(text, "{comma}{}+{}", start - before, end - start).expect("a string takes all");
        if text.len() > room {
            return text.truncate(kept);
        }
        before = end;
    }
}

fn runs(mut end: u64, text: &str) -> Option<Vec<Range<u64>>> {
    let pairs = text.split(',').map(|pair| {
        let (gap, run) = pair.split_once('+')?;
        let start = end.checked_add(gap.parse().ok()?)?;
        end = start.checked_add(run.parse().ok()?)?;
        Some(start..end)
    });
    pairs.collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// In any order of insertions it holds what was inserted and nothing else, and a note gives
        /// it back.
        #[test]
        fn holds_what_was_inserted_and_its_note_gives_it_back(
            ranges in prop::collection::vec((0u64..60, 0u64..6), 0..40)
        ) {
            let (mut noted, mut model) = (Noted::default(), BTreeSet::new());
            let mut dismissed = BTreeSet::new();
            for (start, length) in ranges {
                noted.done.insert(start..start + length);
                model.extend(start..start + length);
                if length % 2 == 0 {
                    noted.dismissed.insert(start..start + length);
                    dismissed.extend(start..start + length);
                } else {
                    noted.dismissed.remove(start);
                    dismissed.remove(&start);
                }
                for number in 0..70 {
                    prop_assert_eq!(noted.done.contains(number), model.contains(&number));
                    prop_assert_eq!(noted.dismissed.contains(number), dismissed.contains(&number));
                }
                let first_undone = (0..).find(|number| !model.contains(number)).unwrap();
                prop_assert_eq!(noted.checkpoint().next, first_undone);
                prop_assert_eq!(&Noted::of(&noted.checkpoint()), &noted);
            }
        }

        /// Whatever stands in a note, reading it does not fail, and what it counts as done up to the
        /// first that is not is kept.
        #[test]
        fn any_text_is_a_note(next in 0u64..9, beyond in ".{0,20}|1:[0-9+,;]{0,20}") {
            let noted = Noted::of(&Checkpoint { next, beyond });
            prop_assert!((0..next).all(|number| noted.done.contains(number)));
        }
    }

    #[test]
    fn a_note_that_would_be_too_long_says_less() {
        let mut noted = Noted::default();
        (0..2_000).for_each(|number| noted.done.insert(2 * number..2 * number + 1));
        let checkpoint = noted.checkpoint();
        assert!(
            (Checkpoint::TEXT_MAX - 8..=Checkpoint::TEXT_MAX).contains(&checkpoint.beyond.len())
        );
        let (kept, done) = (Noted::of(&checkpoint).done, noted.done);
        assert!(kept.end() > 1_000 && kept.end() < done.end());
        assert!((0..kept.end()).all(|number| kept.contains(number) == done.contains(number)));
    }

    #[test]
    fn a_note_can_be_read_by_people() {
        let mut noted = Noted::default();
        for range in [0..3, 4..100, 101..121] {
            noted.done.insert(range);
        }
        let mut checkpoint = Checkpoint {
            next: 3,
            beyond: "1:1+96,1+20".to_owned(),
        };
        assert_eq!(noted.checkpoint(), checkpoint);
        for range in [1..3, 110..120] {
            noted.dismissed.insert(range);
        }
        checkpoint.beyond += ";1+2,107+10";
        assert_eq!(noted.checkpoint(), checkpoint);
        let other = Checkpoint {
            beyond: "2:1+96".to_owned(),
            ..checkpoint
        };
        assert!(!Noted::of(&other).done.contains(4));
    }

    #[test]
    fn what_was_read_is_done_only_when_it_is_finished_or_never_was() {
        let mut ledger = Ledger::default();
        // The first messages of the log are gone, and 12 never was.
        for number in [10, 11, 13, 14, 15] {
            let state = ledger.read(PartitionOffset::at(number));
            assert_eq!(state, LetterState::Open);
        }
        assert_eq!(ledger.changes(), BTreeMap::new());
        for number in [10, 15] {
            ledger.finish(PartitionOffset::at(number));
        }
        let checkpoints = ledger.changes();
        let checkpoint = Checkpoint {
            next: 11,
            beyond: "1:1+1,2+1".to_owned(),
        };
        assert_eq!(checkpoints, BTreeMap::from([(0, checkpoint)]));
        let mut again = Ledger::of(&checkpoints);
        let done: Vec<u64> = (10..17)
            .filter(|&n| again.read(PartitionOffset::at(n)) == LetterState::Replayed)
            .collect();
        assert_eq!(done, [10, 12, 15]);
        again.dismiss(PartitionOffset::at(11));
        assert_eq!(again.state(PartitionOffset::at(11)), LetterState::Dismissed);
        let mut later = Ledger::of(&again.changes());
        assert_eq!(later.state(PartitionOffset::at(11)), LetterState::Dismissed);
        later.finish(PartitionOffset::at(11));
        assert_eq!(later.state(PartitionOffset::at(11)), LetterState::Replayed);
    }

    #[test]
    fn what_was_dismissed_stays_so_however_many_gaps_there_are() {
        let mut ledger = Ledger::default();
        for number in 0..=2_000 {
            ledger.read(PartitionOffset::at(number));
        }
        ledger.dismiss(PartitionOffset::at(2_000));
        for number in (1..2_000).step_by(2) {
            ledger.finish(PartitionOffset::at(number));
        }
        let later = Ledger::of(&ledger.changes());
        let state = later.state(PartitionOffset::at(2_000));
        assert_eq!(state, LetterState::Dismissed);
        let is_cut = |number: &u64| later.state(PartitionOffset::at(*number)) == LetterState::Open;
        let cut = (1..2_000).step_by(2).filter(is_cut).count() as u64;
        assert!(cut > 0);
        assert_eq!((ledger.unnoted(), later.unnoted()), (cut, 0));
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
        let mut again = Ledger::of(&ledger.changes());
        assert!((0..full).all(|number| {
            let is_done = again.read(PartitionOffset::at(number)) == LetterState::Replayed;
            is_done == (number % 2 == 0)
        }));
        // What failed before is tried all the same.
        assert!(!again.has_no_room(PartitionOffset::at(1)));
    }
}
