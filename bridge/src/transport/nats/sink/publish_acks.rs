//! Events that were published and have no acknowledgement yet, and how many there may be. Who stops
//! waiting takes its entry out, so that an outage leaves nothing behind.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use tokio::sync::{Notify, Semaphore, SemaphorePermit, oneshot};

use crate::outcome::Outcome;

/// A single event is always let out. More costs memory and is no faster.
const MOST_BYTES: u32 = 8 << 20;
/// What a small event counts for: of more than 4,096 a stream turns some away.
const LEAST_BYTES: u32 = MOST_BYTES / 4_096;

pub(super) struct PublishAcks {
    /// Bytes that may still be published.
    room: Semaphore,
    next_number: Cell<u64>,
    pending: RefCell<BTreeMap<u64, oneshot::Sender<Outcome>>>,
    /// An acknowledgement did not come in time, or from another stream.
    pub(super) recheck: Notify,
}

impl Default for PublishAcks {
    fn default() -> Self {
        Self {
            room: Semaphore::new(MOST_BYTES as usize),
            next_number: Cell::default(),
            pending: RefCell::default(),
            recheck: Notify::default(),
        }
    }
}

/// Dropped before it is answered, it has the stream checked.
pub(super) struct PublishAck<'a> {
    acks: &'a PublishAcks,
    pub(super) number: u64,
    outcome: oneshot::Receiver<Outcome>,
}

impl PublishAck<'_> {
    pub(super) async fn outcome(&mut self) -> Outcome {
        let outcome = (&mut self.outcome).await;
        outcome.unwrap_or(Outcome::Unreachable("sink-ended"))
    }
}

impl Drop for PublishAck<'_> {
    fn drop(&mut self) {
        let mut pending = self.acks.pending.borrow_mut();
        if pending.remove(&self.number).is_some() {
            self.acks.recheck.notify_one();
        }
    }
}

impl PublishAcks {
    pub(super) async fn room(&self, bytes: usize) -> Option<SemaphorePermit<'_>> {
        let bytes = u32::try_from(bytes).unwrap_or(MOST_BYTES);
        let bytes = bytes.clamp(LEAST_BYTES, MOST_BYTES);
        self.room.acquire_many(bytes).await.ok()
    }

    pub(super) fn expect(&self) -> PublishAck<'_> {
        let number = self.next_number.get();
        self.next_number.set(number + 1);
        let (sender, outcome) = oneshot::channel();
        self.pending.borrow_mut().insert(number, sender);
        PublishAck {
            acks: self,
            number,
            outcome,
        }
    }

    pub(super) fn answer(&self, number: u64, outcome: Outcome) {
        if let Some(sender) = self.pending.borrow_mut().remove(&number) {
            // Who stopped waiting has counted it as not delivered.
            drop(sender.send(outcome));
        }
    }

    pub(super) fn answer_all(&self, outcome: &Outcome) {
        for sender in self.pending.take().into_values() {
            drop(sender.send(outcome.clone()));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::time::Duration;

    use futures_util::FutureExt;
    use futures_util::future::join_all;
    use tokio::task::unconstrained;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn each_event_hears_its_own_answer() {
        let acks = PublishAcks::default();
        let mut waiting = [(); 3].map(|()| acks.expect());
        assert_eq!(waiting.each_ref().map(|ack| ack.number), [0, 1, 2]);
        acks.answer(1, Outcome::Duplicate);
        acks.answer(7, Outcome::Duplicate);
        acks.answer(0, Outcome::Delivered);
        acks.answer_all(&Outcome::Unreachable("disconnected"));
        let outcomes = join_all(waiting.iter_mut().map(PublishAck::outcome)).await;
        let expected = [
            Outcome::Delivered,
            Outcome::Duplicate,
            Outcome::Unreachable("disconnected"),
        ];
        assert_eq!(outcomes, expected);
        drop(waiting);
        assert!(
            acks.pending.borrow().is_empty() && acks.recheck.notified().now_or_never().is_none()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn who_stops_waiting_leaves_nothing_behind_but_a_doubt() {
        let acks = PublishAcks::default();
        let exchange = async { acks.expect().outcome().await };
        assert!(timeout(Duration::from_secs(1), exchange).await.is_err());
        assert!(
            acks.pending.borrow().is_empty() && acks.recheck.notified().now_or_never().is_some()
        );
    }

    #[tokio::test]
    async fn what_is_published_is_bounded_in_number_and_in_bytes() {
        let acks = PublishAcks::default();
        let (half, all) = (MOST_BYTES as usize / 2, MOST_BYTES as usize);
        let (first, second) = (acks.room(half).await, acks.room(half).await);
        // The scheduler's budget for one turn ends below the bound.
        let small = || unconstrained(acks.room(1)).now_or_never();
        assert!(small().is_none(), "too many bytes");
        drop(first);
        let room = small();
        assert!(room.is_some());
        let large = || acks.room(2 * all).now_or_never();
        assert!(large().is_none(), "one too large beside others");
        drop((room, second));
        assert!(large().is_some(), "alone it goes out");
        let rooms: Vec<_> = std::iter::from_fn(small).collect();
        assert_eq!(rooms.len(), 4_096);
    }
}
