//! Where partitions start: at what the group committed, else where the settings say.
//!
//! Where a partition begins is committed before it is read. So a start that comes later goes on there,
//! whatever was written or deleted meanwhile, and what was deleted is noticed as with any committed
//! offset that is no longer in the log.
//!
//! `latest` and a time are about the moment at which a group begins, not about each partition: what is
//! written to a partition that is added later belongs to the group from its first record. So a group
//! is new only while it has committed nothing in any partition of the topic. Kafka has no commit that
//! depends on an earlier one, so one member commits the beginnings of all partitions of a new group:
//! the owner of the first partition, of which there is one in every generation. The others wait until
//! they see its commit. Should it never come, they leave the group and join it again, because a
//! rebalance that gives the first partition to another member waits for them.
//!
//! Under `earliest` nobody waits: the first record is the same for an old group and a new one.

use std::collections::BTreeMap;

use rdkafka::consumer::{CommitMode, Consumer};
use rdkafka::error::KafkaResult;

use super::Client;
use crate::config::Start;
use crate::transport::kafka::offsets::{self, Offsets, at_time, watermarks};

/// The partition whose owner begins for the whole group; every topic has it.
const FIRST: i32 = 0;

/// Where the partitions of a member start.
#[derive(Debug, Default)]
pub(super) struct Starts {
    /// At what the group had committed.
    pub(super) committed: Offsets,
    /// Where the group begins; it is committed by now.
    pub(super) begun: Offsets,
    /// At the first record, which nobody can name while they have no leader.
    pub(super) leaderless: Vec<i32>,
}

/// Where the partitions `assigned` start; nothing while another member is about to say.
///
/// # Errors
/// When a broker did not answer; ask again.
pub(super) fn starts(
    client: &Client,
    topic: &str,
    assigned: &[i32],
    start: Start,
) -> KafkaResult<Option<Starts>> {
    let mut all = offsets::partitions(client, topic)?;
    for &partition in assigned {
        all.entry(partition).or_insert(true);
    }
    let mut committed = offsets::committed(client, topic, all.keys().copied())?;
    let mut starts = Starts::default();
    match beginning(&all, &committed, assigned, start) {
        Beginning::FirstRecord(fresh) => {
            let has_leader = |partition: &i32| all.get(partition) == Some(&true);
            let (led, leaderless) = fresh.into_iter().partition(has_leader);
            starts.begun = begin(client, topic, led, Start::Earliest)?;
            starts.leaderless = leaderless;
        }
        Beginning::Here => starts.begun = begin(client, topic, all.into_keys().collect(), start)?,
        Beginning::Elsewhere => return Ok(None),
    }
    starts
        .begun
        .retain(|partition, _| assigned.contains(partition));
    committed.retain(|partition, _| assigned.contains(partition));
    starts.committed = committed;
    Ok(Some(starts))
}

/// Finds where `partitions` begin under `start`, and commits it.
fn begin(client: &Client, topic: &str, partitions: Vec<i32>, start: Start) -> KafkaResult<Offsets> {
    let ends = watermarks(client, topic, partitions.iter().copied())?;
    let mut begun: Offsets = ends
        .into_iter()
        .map(|(partition, (low, high))| match start {
            Start::Earliest => (partition, low),
            Start::Latest | Start::Time(_) => (partition, high),
        })
        .collect();
    if let Start::Time(time) = start {
        // After the ends: what is written between the questions lies behind the end.
        begun.extend(at_time(client, topic, partitions, time)?);
    }
    if !begun.is_empty() {
        tracing::info!(topic, ?begun, "the group begins");
        client.commit(&offsets::list(topic, begun.clone())?, CommitMode::Sync)?;
    }
    Ok(begun)
}

/// What to do about partitions in which the group committed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Beginning {
    /// These of this member begin at their first record.
    FirstRecord(Vec<i32>),
    /// The group is new, and this member begins for all.
    Here,
    /// The group is new, and another member is about to begin.
    Elsewhere,
}

/// Decides, from what the group `committed` in `all` partitions of the topic and which of them are
/// `assigned` to this member.
fn beginning(
    all: &BTreeMap<i32, bool>,
    committed: &Offsets,
    assigned: &[i32],
    start: Start,
) -> Beginning {
    let fresh = all.keys().filter(|it| !committed.contains_key(it));
    let own: Vec<i32> = fresh.copied().filter(|it| assigned.contains(it)).collect();
    let is_old = !committed.is_empty() || own.is_empty();
    match (
        is_old || start == Start::Earliest,
        assigned.contains(&FIRST),
    ) {
        (true, _) => Beginning::FirstRecord(own),
        (false, true) => Beginning::Here,
        (false, false) => Beginning::Elsewhere,
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    const MOMENTS: [Start; 2] = [Start::Latest, Start::Time(Timestamp::UNIX_EPOCH)];

    fn partitions(count: i32) -> BTreeMap<i32, bool> {
        (0..count).map(|partition| (partition, true)).collect()
    }

    #[test]
    fn one_member_begins_for_a_new_group() {
        let (all, none) = (partitions(2), Offsets::new());
        for start in MOMENTS {
            assert_eq!(beginning(&all, &none, &[0, 1], start), Beginning::Here);
            assert_eq!(beginning(&all, &none, &[0], start), Beginning::Here);
            assert_eq!(beginning(&all, &none, &[1], start), Beginning::Elsewhere);
            let nothing = Beginning::FirstRecord(vec![]);
            assert_eq!(beginning(&all, &none, &[], start), nothing);
        }
    }

    #[test]
    fn each_member_begins_for_itself_at_the_first_record() {
        let (all, none) = (partitions(2), Offsets::new());
        for assigned in [&[][..], &[0], &[1], &[0, 1]] {
            let own = Beginning::FirstRecord(assigned.to_vec());
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
                    let later = Beginning::FirstRecord(own.clone());
                    assert_eq!(beginning(&all, &committed, assigned, start), later);
                }
            }
        }
    }
}
