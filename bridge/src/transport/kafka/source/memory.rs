//! What was settled in assignments that were lost before it could be committed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use rdkafka::Offset;
use tokio::time::Instant;

/// How long it counts. Brokers that restart are back within minutes. Later than that the topic may
/// have been deleted and made anew, or an operator may have set the offsets of the group back, and to
/// deliver some events again is better than to skip others.
const REMEMBERED: Duration = Duration::from_secs(5 * 60);

/// See the module. By partition, the offset behind what was settled.
#[derive(Debug, Default)]
pub(super) struct Memory(RefCell<BTreeMap<i32, (i64, Instant)>>);

impl Memory {
    /// Remembers that everything before `offset` is settled.
    pub(super) fn keep(&self, partition: i32, offset: i64) {
        let kept = (offset, Instant::now());
        self.0.borrow_mut().insert(partition, kept);
    }

    /// What is remembered of partitions beyond their `starts`; it is forgotten by that.
    pub(super) fn take(&self, starts: &[(i32, Offset)]) -> Vec<(i32, i64)> {
        let mut kept = self.0.borrow_mut();
        let beyond = |&(partition, start): &(i32, Offset)| {
            let (own, since) = kept.remove(&partition)?;
            let is_beyond = matches!(start, Offset::Offset(committed) if committed < own);
            (is_beyond && since.elapsed() < REMEMBERED).then_some((partition, own))
        };
        starts.iter().filter_map(beyond).collect()
    }
}

/// What of `remembered` lies in partitions that still reach so far: another topic of the same name,
/// or one that lost its end, begins where the group says.
pub(super) fn reached(remembered: &[(i32, i64)], ends: &[(i32, Offset)]) -> Vec<(i32, Offset)> {
    let reaches = |&(partition, own): &(i32, i64)| {
        let has_it = |&(of, end): &(i32, Offset)| {
            of == partition && matches!(end, Offset::Offset(end) if own <= end)
        };
        let is_there = ends.iter().any(has_it);
        is_there.then_some((partition, Offset::Offset(own)))
    };
    remembered.iter().filter_map(reaches).collect()
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_remembered_counts_once_for_minutes_and_beyond_a_commit_alone() {
        let memory = Memory::default();
        let starts = [0, 1, 2, 3].map(|partition| (partition, Offset::Offset(40)));
        for (partition, offset) in [(0, 41), (1, 40), (2, 41)] {
            memory.keep(partition, offset);
        }
        memory.take(&[(2, Offset::Offset(0))]);
        assert_eq!(memory.take(&starts), [(0, 41)]);
        assert_eq!(memory.take(&starts), []);
        for (waited, expected) in [
            (REMEMBERED - Duration::from_secs(1), vec![(0, 41)]),
            (REMEMBERED, vec![]),
        ] {
            memory.keep(0, 41);
            advance(waited).await;
            assert_eq!(memory.take(&starts), expected, "{waited:?}");
        }
    }

    #[test]
    fn nothing_starts_beyond_the_end_of_its_partition() {
        let ends = [(0, 41), (1, 40), (2, 0)].map(|(p, end)| (p, Offset::Offset(end)));
        let remembered = [(0, 41), (1, 41), (2, 41), (3, 41)];
        assert_eq!(reached(&remembered, &ends), [(0, Offset::Offset(41))]);
    }
}
