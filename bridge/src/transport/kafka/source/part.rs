//! How much of the topic this process reads.

use super::Ended;
use super::assignment::Assignment;

impl Assignment {
    /// Whether the topic has more partitions than were known; then the consumer ends.
    pub(super) fn grows(&self, partition_count: i32) -> bool {
        let grows = partition_count > self.source.partition_count.get();
        if grows {
            self.source.partition_count.set(partition_count);
            drop(self.fault.try_send(Ended::Grown));
        }
        grows
    }

    pub(super) fn tell_part(&self) {
        let all = self.source.partition_count.get().max(1);
        let assigned = self.open.borrow().len() as f64;
        self.source.status.set_part(assigned / f64::from(all));
    }
}
