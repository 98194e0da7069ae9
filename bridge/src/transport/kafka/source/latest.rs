//! Pure: where partitions start under `start = "latest"` in which the group committed nothing.
//!
//! `latest` is about the moment at which a group begins, not about each partition: what is written
//! to a partition that is added later belongs to the group from its first record. So a group is new
//! only while it has committed nothing in any partition of the topic; a new group commits the ends
//! of all partitions at once, and whoever comes after finds commits.
//!
//! Several members may join a new group at once, and Kafka has no commit that depends on an earlier
//! one. If each of them committed the ends of all partitions, the later commit could lie behind
//! records that the owner of a partition has taken and not settled, and a crash would skip them. If
//! each committed its own alone, the slower member would find those of the faster one, think that
//! the group is old, and deliver the whole history. So one member commits for all: the owner of the
//! first partition, of which there is one in every generation of the group. The others wait until
//! they see its commit. Should it never come, they leave the group and join it again, because a
//! rebalance that gives the first partition to another member waits for them.

use rdkafka::Offset;

/// The partition whose owner begins for the whole group; every topic has it.
const FIRST: i32 = 0;

/// What to do about partitions in which the group committed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// The group is old: they were added later, and start at their first record.
    Later,
    /// The group is new, and this member begins for all.
    Here,
    /// The group is new, and another member is about to begin.
    Elsewhere,
}

/// Decides, from what the group committed in `all` partitions of the topic and which of them are
/// `assigned` to this member.
pub(super) fn beginning(all: &[(i32, Offset)], assigned: &[i32]) -> Beginning {
    let is_old = all.iter().any(|(_, o)| matches!(o, Offset::Offset(_)));
    match (is_old, assigned.contains(&FIRST)) {
        (true, _) => Beginning::Later,
        (false, true) => Beginning::Here,
        (false, false) => Beginning::Elsewhere,
    }
}

/// Where `fresh` partitions of an old group start. What the group committed there is looked up in
/// the very answer that says it is old: the member that began for all may have done so since
/// the partitions were found without a commit.
pub(super) fn later(all: &[(i32, Offset)], fresh: &[i32]) -> Vec<(i32, Offset)> {
    let committed = |partition| {
        let mut all = all.iter();
        all.find(|(other, o)| *other == partition && matches!(o, Offset::Offset(_)))
    };
    let start = |&partition: &i32| match committed(partition) {
        Some((_, offset)) => (partition, *offset),
        None => (partition, Offset::Beginning),
    };
    fresh.iter().map(start).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_member_begins_for_a_new_group() {
        let fresh = [(0, Offset::Invalid), (1, Offset::Invalid)];
        assert_eq!(beginning(&fresh, &[0, 1]), Beginning::Here);
        assert_eq!(beginning(&fresh, &[0]), Beginning::Here);
        assert_eq!(beginning(&fresh, &[1]), Beginning::Elsewhere);
    }

    #[test]
    fn what_was_committed_meanwhile_is_where_a_partition_starts() {
        let all = [
            (0, Offset::Offset(7)),
            (1, Offset::Offset(5)),
            (2, Offset::Invalid),
        ];
        let starts = [(1, Offset::Offset(5)), (2, Offset::Beginning)];
        assert_eq!(later(&all, &[1, 2]), starts);
    }

    #[test]
    fn a_commit_anywhere_makes_the_group_old() {
        for committed in 0..2 {
            let offset = |p| match p == committed {
                true => Offset::Offset(0),
                false => Offset::Invalid,
            };
            let all = [(0, offset(0)), (1, offset(1)), (2, offset(2))];
            for assigned in [&[0][..], &[1], &[2]] {
                assert_eq!(beginning(&all, assigned), Beginning::Later);
            }
        }
    }
}
