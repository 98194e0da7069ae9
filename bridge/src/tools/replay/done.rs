//! Pure: which messages of a partition are done, as ranges of their numbers, and the note that keeps
//! them.
//!
//! Dead letters that fail again stay undone among others that are done, so a watermark alone would
//! say too little: what is done behind it is a list of gaps and runs.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::Range;

use crate::transport::view::Note;

/// How the text of a note begins; another beginning is of another version, and says nothing to us.
const VERSION: &str = "1:";

/// Numbers that are done: disjoint ranges that do not touch, from start to end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Done(BTreeMap<u64, u64>);

impl Done {
    /// What a note says. A text that is none of ours says nothing, so more is sent again.
    pub(super) fn of(note: &Note) -> Self {
        let mut done = Self::default();
        done.insert(0..note.next);
        for run in runs(note).unwrap_or_default() {
            done.insert(run);
        }
        done
    }

    /// The note that says the same; where it would be too long, less.
    pub(super) fn note(&self) -> Note {
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
    pub(super) fn end(&self) -> u64 {
        self.0.last_key_value().map_or(0, |(_, &end)| end)
    }

    pub(super) fn contains(&self, number: u64) -> bool {
        let before = self.0.range(..=number).next_back();
        before.is_some_and(|(_, &end)| number < end)
    }

    pub(super) fn insert(&mut self, range: Range<u64>) {
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
}
