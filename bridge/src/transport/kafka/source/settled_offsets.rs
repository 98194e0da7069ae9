//! What was settled in assignments that were lost before it could be committed.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use tokio::time::Instant;

use crate::transport::kafka::offsets::Offsets;

/// Brokers that restart are back within minutes. Later the topic may have been made anew, or the
/// offsets of its group reset, and repeating events is better than skipping others.
const VALID_FOR: Duration = Duration::from_secs(5 * 60);

/// By partition, the offset behind what was settled.
#[derive(Debug, Default)]
pub(super) struct SettledOffsets(RefCell<BTreeMap<i32, (i64, Instant)>>);

impl SettledOffsets {
    pub(super) fn keep(&self, partition: i32, offset: i64) {
        let kept = (offset, Instant::now());
        self.0.borrow_mut().insert(partition, kept);
    }

    /// Removes what it returns, and what is not beyond `starts`.
    pub(super) fn take(&self, starts: &Offsets) -> Offsets {
        let mut kept = self.0.borrow_mut();
        let beyond = |(&partition, &start): (&i32, &i64)| {
            let (own, since) = kept.remove(&partition)?;
            (start < own && since.elapsed() < VALID_FOR).then_some((partition, own))
        };
        starts.iter().filter_map(beyond).collect()
    }
}

/// Another topic of the same name, or one that lost its end, begins where the group says.
pub(super) fn reached(mut remembered: Offsets, ends: &Offsets) -> Offsets {
    remembered.retain(|partition, own| ends.get(partition).is_some_and(|end| *own <= *end));
    remembered
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn what_is_remembered_counts_once_for_minutes_and_beyond_a_commit_alone() {
        let memory = SettledOffsets::default();
        let starts = Offsets::from([0, 1, 2, 3].map(|partition| (partition, 40)));
        for (partition, offset) in [(0, 41), (1, 40), (2, 41)] {
            memory.keep(partition, offset);
        }
        memory.take(&Offsets::from([(2, 0)]));
        assert_eq!(memory.take(&starts), Offsets::from([(0, 41)]));
        assert_eq!(memory.take(&starts), Offsets::new());
        for (waited, expected) in [
            (VALID_FOR - Duration::from_secs(1), Offsets::from([(0, 41)])),
            (VALID_FOR, Offsets::new()),
        ] {
            memory.keep(0, 41);
            advance(waited).await;
            assert_eq!(memory.take(&starts), expected, "{waited:?}");
        }
    }

    #[test]
    fn nothing_starts_beyond_the_end_of_its_partition() {
        let ends = Offsets::from([(0, 41), (1, 40), (2, 0)]);
        let remembered = Offsets::from([0, 1, 2, 3].map(|partition| (partition, 41)));
        assert_eq!(reached(remembered, &ends), Offsets::from([(0, 41)]));
    }
}
