//! The events that somebody waits for: first in a queue, then published and without an ack.
//!
//! Whoever stops pending takes the event out, wherever it stands, so that an outage leaves nothing
//! behind.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::timeout;

use super::{MOST_PENDING, MOST_PENDING_BYTES};
use crate::outcome::Outcome;
use crate::transport::Outgoing;

/// See the module.
#[derive(Default)]
pub(super) struct PendingPublishes {
    next_number: Cell<u64>,
    /// Events that are not published yet; their numbers rise.
    queue: RefCell<VecDeque<Job>>,
    /// Events that are, by their number, which rises as they are published.
    published: RefCell<BTreeMap<u64, Published>>,
    published_bytes: Cell<usize>,
    /// Something came into the queue, or there is more room to publish.
    publisher: Notify,
    /// Something was published.
    listener: Notify,
    /// Something was published, and no answer came for as long as one may take, or a wrong one.
    doubt: Notify,
}

struct Job {
    number: u64,
    event: Rc<Outgoing>,
    outcome: oneshot::Sender<Outcome>,
}

struct Published {
    outcome: oneshot::Sender<Outcome>,
    bytes: usize,
    /// Which connection it went out on.
    connection: u64,
}

/// Takes an event out when nobody waits for it any more.
struct Interest {
    pending: Rc<PendingPublishes>,
    number: u64,
}

impl Drop for Interest {
    fn drop(&mut self) {
        self.pending.forget(self.number);
    }
}

impl PendingPublishes {
    /// Puts an event behind the others; the outcome is there after its answer, or after `limit`.
    pub(super) fn push(
        self: &Rc<Self>,
        event: Rc<Outgoing>,
        limit: Duration,
    ) -> impl Future<Output = Outcome> + use<> {
        let number = self.next_number.get();
        self.next_number.set(number + 1);
        let (sender, outcome) = oneshot::channel();
        self.queue.borrow_mut().push_back(Job {
            number,
            event,
            outcome: sender,
        });
        self.publisher.notify_one();
        let interest = Interest {
            pending: Rc::clone(self),
            number,
        };
        async move {
            let _interest = interest;
            match timeout(limit, outcome).await {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(_)) => Outcome::Unreachable("sink-ended"),
                Err(_) => Outcome::Unreachable("timeout"),
            }
        }
    }

    /// The next event to publish, if there is room for it: it is published from here on.
    pub(super) fn take(&self, connection: u64) -> Option<(u64, Rc<Outgoing>)> {
        let bytes = self.queue.borrow().front()?.event.byte_len();
        let open = self.published.borrow().len();
        let all_bytes = self.published_bytes.get() + bytes;
        // A single event is always let out.
        if open > 0 && (open >= MOST_PENDING || all_bytes > MOST_PENDING_BYTES) {
            return None;
        }
        let Job {
            number,
            event,
            outcome,
        } = self.queue.borrow_mut().pop_front()?;
        let published = Published {
            outcome,
            bytes,
            connection,
        };
        self.published_bytes.set(all_bytes);
        self.published.borrow_mut().insert(number, published);
        self.listener.notify_one();
        Some((number, event))
    }

    /// Whether nothing waits to be published.
    pub(super) fn has_no_queue(&self) -> bool {
        self.queue.borrow().is_empty()
    }

    /// Waits until `take` is worth asking again.
    pub(super) async fn may_take(&self) {
        self.publisher.notified().await;
    }

    /// Waits until something was published.
    pub(super) async fn was_taken(&self) {
        self.listener.notified().await;
    }

    /// Waits until an answer did not come in time, or gave up all the others.
    pub(super) async fn was_doubted(&self) {
        self.doubt.notified().await;
    }

    /// Answers all events: whatever their acks will say, it is worth nothing.
    pub(super) fn doubt(&self, outcome: &Outcome) {
        self.doubt.notify_one();
        self.answer_all(outcome);
    }

    /// Whether every event that was published has its answer.
    pub(super) fn is_quiet(&self) -> bool {
        self.published.borrow().is_empty()
    }

    /// Answers one event.
    pub(super) fn answer(&self, number: u64, outcome: Outcome) {
        let published = self.published.borrow_mut().remove(&number);
        if let Some(published) = published {
            self.conclude(published, outcome);
        }
    }

    /// Answers all events.
    pub(super) fn answer_all(&self, outcome: &Outcome) {
        for event in self.published.take().into_values() {
            self.conclude(event, outcome.clone());
        }
    }

    /// Answers all events that went out on another connection than this.
    pub(super) fn answer_lost(&self, connection: u64, outcome: &Outcome) {
        let is_lost = |open: &Published| open.connection != connection;
        let lost: Vec<u64> = {
            let published = self.published.borrow();
            let lost = published.iter().filter(|(_, open)| is_lost(open));
            lost.map(|(number, _)| *number).collect()
        };
        for number in lost {
            self.answer(number, outcome.clone());
        }
    }

    fn conclude(&self, published: Published, outcome: Outcome) {
        let bytes = self.published_bytes.get() - published.bytes;
        self.published_bytes.set(bytes);
        self.publisher.notify_one();
        // Whoever left has counted it as not delivered.
        drop(published.outcome.send(outcome));
    }

    fn forget(&self, number: u64) {
        if self.published.borrow().contains_key(&number) {
            self.doubt.notify_one();
            return self.answer(number, Outcome::Unreachable("timeout"));
        }
        let mut queue = self.queue.borrow_mut();
        if let Ok(place) = queue.binary_search_by_key(&number, |job| job.number) {
            queue.remove(place);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use bytes::Bytes;
    use futures_util::FutureExt;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    fn event(bytes: usize) -> Rc<Outgoing> {
        Rc::new(Outgoing {
            body: Some(Bytes::from(vec![0; bytes])),
            ..Outgoing::default()
        })
    }

    fn is_empty(pending: &PendingPublishes) -> bool {
        pending.is_quiet() && pending.has_no_queue() && pending.published_bytes.get() == 0
    }

    #[tokio::test(start_paused = true)]
    async fn events_go_out_in_order_and_each_hears_its_own_answer() {
        let pending = Rc::new(PendingPublishes::default());
        let outcomes: Vec<_> = (0..3).map(|_| pending.push(event(1), LIMIT)).collect();
        let taken: Vec<_> = std::iter::from_fn(|| pending.take(0)).collect();
        let numbers: Vec<_> = taken.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [0, 1, 2]);
        pending.answer(1, Outcome::Duplicate);
        pending.answer(0, Outcome::Delivered);
        pending.answer_lost(1, &Outcome::Unreachable("disconnected"));
        let outcomes = futures_util::future::join_all(outcomes).await;
        let expected = [
            Outcome::Delivered,
            Outcome::Duplicate,
            Outcome::Unreachable("disconnected"),
        ];
        assert_eq!(outcomes, expected);
        assert!(is_empty(&pending));
    }

    #[tokio::test(start_paused = true)]
    async fn who_stops_pending_leaves_nothing_behind() {
        let pending = Rc::new(PendingPublishes::default());
        let (queued, published) = (pending.push(event(1), LIMIT), pending.push(event(1), LIMIT));
        drop(queued);
        assert!(pending.take(0).is_some());
        let outcome = published.await;
        assert_eq!(outcome, Outcome::Unreachable("timeout"));
        let dropped = pending.push(event(1), LIMIT);
        pending.take(0).unwrap();
        drop(dropped);
        assert!(is_empty(&pending));
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_published_is_bounded_in_number_and_in_bytes() {
        let pending = Rc::new(PendingPublishes::default());
        let half = MOST_PENDING_BYTES / 2;
        let outcomes: Vec<_> = [half, half, 1, 2 * MOST_PENDING_BYTES]
            .map(|bytes| pending.push(event(bytes), LIMIT).boxed_local())
            .into();
        assert!(pending.take(0).is_some() && pending.take(0).is_some());
        assert!(pending.take(0).is_none(), "too many bytes");
        pending.answer_all(&Outcome::Delivered);
        assert!(pending.take(0).is_some());
        assert!(pending.take(0).is_none(), "one too large beside another");
        pending.answer_all(&Outcome::Delivered);
        assert!(pending.take(0).is_some(), "alone it goes out");
        pending.answer_all(&Outcome::Delivered);
        drop(outcomes);
        let outcomes: Vec<_> = (0..=MOST_PENDING)
            .map(|_| pending.push(event(0), LIMIT))
            .collect();
        let taken = std::iter::from_fn(|| pending.take(0)).count();
        assert_eq!(taken, MOST_PENDING);
        drop(outcomes);
        assert!(is_empty(&pending));
    }
}
