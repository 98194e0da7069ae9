//! Pure: getting back in line after a gap.
//!
//! A server hands out new messages before the ones that were given to somebody who never answered:
//! a process that was killed, or a connection that broke. For a route that keeps order, those come
//! first. Their number is known; they are asked for again, collected until all are there, and only
//! then handed on, lowest first.

use std::collections::BTreeMap;

/// Messages that must come before any new one.
#[derive(Debug)]
pub(super) struct LineUp<M> {
    missing: usize,
    last: u64,
    collected: BTreeMap<u64, M>,
}

/// What a message does to the line.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line<M> {
    /// Others are still missing.
    Waits,
    /// All are there: in order.
    Complete(Vec<(u64, M)>),
    /// It is newer than what is missing: the server has given up on a missing one, or another
    /// order of things began. Count again.
    Jumped,
}

impl<M> LineUp<M> {
    /// `missing` messages up to the sequence `last` are to come; none is a line that is complete.
    pub(super) fn new(missing: usize, last: u64) -> Option<Self> {
        (missing > 0).then(|| Self {
            missing,
            last,
            collected: BTreeMap::new(),
        })
    }

    /// Takes a message that is neither held nor settled.
    pub(super) fn take(&mut self, sequence: u64, message: M) -> Line<M> {
        if sequence > self.last {
            return Line::Jumped;
        }
        self.collected.insert(sequence, message);
        if self.collected.len() < self.missing {
            return Line::Waits;
        }
        Line::Complete(std::mem::take(&mut self.collected).into_iter().collect())
    }

    /// How many are still to come.
    pub(super) fn still_missing(&self) -> usize {
        self.missing.saturating_sub(self.collected.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_missing_is_no_line() {
        assert!(LineUp::<()>::new(0, 7).is_none());
    }

    #[test]
    fn a_newer_message_waits_for_a_new_count() {
        let mut line = LineUp::new(2, 7).expect("two are missing");
        assert_eq!(line.take(7, 'b'), Line::Waits);
        assert_eq!(line.take(7, 'b'), Line::Waits);
        assert_eq!(line.still_missing(), 1);
        assert_eq!(line.take(8, 'c'), Line::Jumped);
        assert_eq!(line.take(3, 'a'), Line::Complete(vec![(3, 'a'), (7, 'b')]));
    }

    proptest! {
        #[test]
        fn they_come_out_in_order_whatever_order_they_came_in(
            mut sequences in prop::collection::btree_set(1_u64..100, 1..30).prop_map(Vec::from_iter).prop_shuffle(),
        ) {
            let last = sequences.iter().copied().max().unwrap_or_default();
            let mut line = LineUp::new(sequences.len(), last).expect("some are missing");
            let mut end = Line::Waits;
            for &sequence in &sequences {
                prop_assert_eq!(&end, &Line::Waits);
                end = line.take(sequence, sequence);
            }
            sequences.sort_unstable();
            let expected = sequences.into_iter().map(|sequence| (sequence, sequence));
            prop_assert_eq!(end, Line::Complete(expected.collect()));
        }
    }
}
