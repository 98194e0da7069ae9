//! Pure: where partitions begin in which the group committed nothing.
//!
//! Where a partition begins is committed before it is read. So a start that comes later goes on there,
//! whatever was written or deleted meanwhile, and what was deleted is noticed as with any committed
//! offset that is no longer in the log.
//!
//! `latest` and a time are about the moment at which a group begins, not about each partition: what is
//! written to a partition that is added later belongs to the group from its first record. So a group
//! is new only while it has committed nothing in any partition of the topic; a new group commits the
//! beginnings of all partitions at once, and whoever comes after finds commits.
//!
//! Several members may join a new group at once, and Kafka has no commit that depends on an earlier
//! one. If each of them committed the ends of all partitions, the later commit could lie behind
//! records that the owner of a partition has taken and not settled, and a crash would skip them. If
//! each committed its own alone, the slower member would find those of the faster one, think that
//! the group is old, and deliver the whole history. So one member commits for all: the owner of the
//! first partition, of which there is one in every generation of the group. The others wait until
//! they see its commit. Should it never come, they leave the group and join it again, because a
//! rebalance that gives the first partition to another member waits for them.
//!
//! Under `earliest` nobody waits: the first record is the same for an old group and a new one.

use rdkafka::Offset;

use crate::config::Start;

/// The partition whose owner begins for the whole group; every topic has it.
const FIRST: i32 = 0;

/// What to do about partitions in which the group committed nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Beginning {
    /// These of this member begin at their first record.
    FirstRecord(Vec<i32>),
    /// The group is new, and this member begins for all.
    Here,
    /// The group is new, and another member is about to begin.
    Elsewhere,
}

/// Decides, from what the group committed in `all` partitions of the topic and which of them are
/// `assigned` to this member.
pub(super) fn beginning(all: &[(i32, Offset)], assigned: &[i32], start: Start) -> Beginning {
    let (old, fresh): (Vec<_>, Vec<_>) = all.iter().partition(|(_, offset)| is_committed(*offset));
    let own = fresh.into_iter().map(|(partition, _)| partition);
    let own: Vec<i32> = own.filter(|own| assigned.contains(own)).collect();
    let is_old = !old.is_empty() || own.is_empty();
    match (
        is_old || start == Start::Earliest,
        assigned.contains(&FIRST),
    ) {
        (true, _) => Beginning::FirstRecord(own),
        (false, true) => Beginning::Here,
        (false, false) => Beginning::Elsewhere,
    }
}

/// Whether the broker named an offset that was committed.
pub(super) fn is_committed(offset: Offset) -> bool {
    matches!(offset, Offset::Offset(_))
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    const MOMENTS: [Start; 2] = [Start::Latest, Start::Time(Timestamp::UNIX_EPOCH)];

    #[test]
    fn one_member_begins_for_a_new_group() {
        let fresh = [(0, Offset::Invalid), (1, Offset::Invalid)];
        for start in MOMENTS {
            assert_eq!(beginning(&fresh, &[0, 1], start), Beginning::Here);
            assert_eq!(beginning(&fresh, &[0], start), Beginning::Here);
            assert_eq!(beginning(&fresh, &[1], start), Beginning::Elsewhere);
            let nothing = Beginning::FirstRecord(vec![]);
            assert_eq!(beginning(&fresh, &[], start), nothing);
        }
    }

    #[test]
    fn each_member_begins_for_itself_at_the_first_record() {
        let fresh = [(0, Offset::Invalid), (1, Offset::Invalid)];
        for assigned in [&[][..], &[0], &[1], &[0, 1]] {
            let own = Beginning::FirstRecord(assigned.to_vec());
            assert_eq!(beginning(&fresh, assigned, Start::Earliest), own);
        }
    }

    #[test]
    fn a_commit_anywhere_makes_the_group_old() {
        for committed in 0..2 {
            let offset = |p| match p == committed {
                true => Offset::Offset(0),
                false => Offset::Invalid,
            };
            let all = [(0, offset(0)), (1, offset(1)), (2, offset(2))];
            for assigned in [&[0][..], &[1], &[2], &[1, 2]] {
                let own: Vec<_> = assigned
                    .iter()
                    .copied()
                    .filter(|p| *p != committed)
                    .collect();
                for start in MOMENTS {
                    let later = Beginning::FirstRecord(own.clone());
                    assert_eq!(beginning(&all, assigned, start), later);
                }
            }
        }
    }
}
