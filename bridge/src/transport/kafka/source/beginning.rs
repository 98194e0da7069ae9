//! Where partitions start: at what the group committed, or behind what was settled in assignments that were lost
//! before it could be committed; else where the settings say.
//!
//! Where a partition begins is committed before it is read: a later start goes on there, and an
//! offset whose record was deleted meanwhile is noticed.
//!
//! `latest` and a time are about the moment at which a group begins: what is written to a partition
//! that is added later belongs to the group from its first record. So a group is new only while it
//! has committed nothing in any partition. Kafka has no conditional commit, so the owner of the
//! first partition commits the beginnings of all, and the others wait until they see its commit.
//! Should it never come, they leave the group and join it again, because a rebalance that gives the
//! first partition to another member waits for them. Under `earliest` nobody waits.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::time::Duration;

use rdkafka::Offset;
use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::error::KafkaResult;
use tokio::time::Instant;

use super::Client;
use crate::config::Start;
use crate::transport::kafka::offsets::{self, ANSWER_TIMEOUT, Offsets, Questions, since};

/// Every topic has it.
const FIRST: i32 = 0;

pub(super) struct Starts {
    pub(super) committed: Offsets,
    /// Where the group begins; it is committed by now.
    pub(super) begun: Offsets,
    /// At the first record; its offset is unknown while there is no leader.
    pub(super) leaderless: Vec<i32>,
    pub(super) partition_count: i32,
}

/// Nothing while another member is about to commit. An error is worth another try.
pub(super) fn starts(
    client: &Client,
    topic: &str,
    assigned: &[i32],
    start: Start,
) -> KafkaResult<Option<Starts>> {
    let questions = Questions::new(client, topic, ANSWER_TIMEOUT);
    let mut all = questions.partitions()?;
    for &partition in assigned {
        all.entry(partition).or_insert(true);
    }
    let mut committed = questions.committed(all.keys().copied())?;
    let Some((begins, start)) = beginning(&all, &committed, assigned, start) else {
        return Ok(None);
    };
    let has_leader = |it: &i32| start != Start::Earliest || all.get(it) == Some(&true);
    let (led, leaderless): (Vec<i32>, _) = begins.into_iter().partition(has_leader);
    let edge = match start {
        Start::Earliest => Offset::Beginning,
        Start::Latest | Start::Time(_) => Offset::End,
    };
    let mut begun = questions.offsets(led.iter().copied(), edge)?;
    if let Start::Time(time) = start {
        // After the ends: what is written between the requests lies behind the end.
        begun.extend(questions.offsets(led, since(time))?);
    }
    if !begun.is_empty() {
        tracing::info!(topic, begun = offsets::text(&begun), "the group begins");
        client.commit(&offsets::list(topic, begun.clone())?, CommitMode::Sync)?;
    }
    for offsets in [&mut begun, &mut committed] {
        offsets.retain(|partition, _| assigned.contains(partition));
    }
    Ok(Some(Starts {
        committed,
        begun,
        leaderless,
        partition_count: all.last_key_value().map_or(0, |(last, _)| last + 1),
    }))
}

/// Where this member begins for the group, and how; nothing while another one is about to.
fn beginning(
    all: &BTreeMap<i32, bool>,
    committed: &Offsets,
    assigned: &[i32],
    start: Start,
) -> Option<(Vec<i32>, Start)> {
    let fresh = all.keys().filter(|it| !committed.contains_key(it));
    let own: Vec<i32> = fresh.copied().filter(|it| assigned.contains(it)).collect();
    let is_old = !committed.is_empty() || own.is_empty();
    if is_old || start == Start::Earliest {
        return Some((own, Start::Earliest));
    }
    let is_chosen = assigned.contains(&FIRST);
    is_chosen.then(|| (all.keys().copied().collect(), start))
}

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
    use jiff::Timestamp;
    use tokio::time::advance;

    use super::*;

    const MOMENTS: [Start; 2] = [Start::Latest, Start::Time(Timestamp::UNIX_EPOCH)];

    fn partitions(count: i32) -> BTreeMap<i32, bool> {
        (0..count).map(|partition| (partition, true)).collect()
    }

    fn from_the_first_record(partitions: &[i32]) -> Option<(Vec<i32>, Start)> {
        Some((partitions.to_vec(), Start::Earliest))
    }

    #[test]
    fn one_member_begins_for_a_new_group() {
        let (all, none) = (partitions(2), Offsets::new());
        for start in MOMENTS {
            let here = Some((vec![0, 1], start));
            assert_eq!(beginning(&all, &none, &[0, 1], start), here);
            assert_eq!(beginning(&all, &none, &[0], start), here);
            assert_eq!(beginning(&all, &none, &[1], start), None);
            let nothing = from_the_first_record(&[]);
            assert_eq!(beginning(&all, &none, &[], start), nothing);
        }
    }

    #[test]
    fn each_member_begins_for_itself_at_the_first_record() {
        let (all, none) = (partitions(2), Offsets::new());
        for assigned in [&[][..], &[0], &[1], &[0, 1]] {
            let own = from_the_first_record(assigned);
            assert_eq!(beginning(&all, &none, assigned, Start::Earliest), own);
        }
    }

    #[test]
    fn a_commit_anywhere_makes_the_group_old() {
        let all = partitions(3);
        for old in 0..2 {
            let committed = Offsets::from([(old, 0)]);
            for assigned in [&[0][..], &[1], &[2], &[1, 2]] {
                let own: Vec<_> = assigned.iter().copied().filter(|p| *p != old).collect();
                for start in MOMENTS {
                    let later = from_the_first_record(&own);
                    assert_eq!(beginning(&all, &committed, assigned, start), later);
                }
            }
        }
    }

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
