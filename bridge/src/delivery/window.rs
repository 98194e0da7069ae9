//! The window of a partition, consumer or request: what was taken and is not settled.
//! A partition that is assigned again has another window, so nobody commits late verdicts of the first.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::share::{Reservation, Share};
use super::slots::Slots;
use super::{Delivery, Received, Verdict};

/// Beside its bytes: slot, lane and names.
const OVERHEAD: usize = 1024;
/// Its own verdicts wake a window; what other routes give back does not.
const AGAIN: Duration = Duration::from_millis(100);

/// Of a window or a batch. A single event may be larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    pub events: usize,
    pub bytes: usize,
}

impl Capacity {
    pub const SINGLE: Self = Self {
        events: 1,
        bytes: usize::MAX,
    };
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// What is wrong, and where.
    Undecodable(cloudevents_nl_codec::DecodeError),
    Unwritable(cloudevents_nl_codec::EncodeError),
    /// Of the profile that the route checks.
    Violating(super::Violations),
    ByDestination(crate::outcome::Outcome),
}

#[derive(Debug)]
pub struct Window {
    capacity: Capacity,
    share: Rc<Share>,
    /// What the source counts beside, as long as a delivery is under way.
    beside: Reservation,
    pub(super) slots: RefCell<Slots<Option<u64>, i64>>,
    /// Nothing more is let in.
    drained_by: Cell<Option<Instant>>,
    /// Of what waits.
    lets_go: Cell<bool>,
    pub(super) abandoned: Cell<bool>,
    /// Why the source reads no further.
    held: Cell<Option<&'static str>>,
    pub(super) refusal: RefCell<Option<Refusal>>,
    pub(super) dropped: Cell<u64>,
    /// Since the source asked, where it wants to know.
    pub(super) verdicts: Option<RefCell<Vec<(u64, Verdict)>>>,
    pub(super) changed: Notify,
}

impl Window {
    pub fn partition(capacity: Capacity, share: &Rc<Share>) -> Rc<Self> {
        Self::new(capacity, share, Reservation::of(share), None)
    }

    /// Its source bounds what it counts [beside](Self::beside).
    pub fn unbounded(share: &Rc<Share>, beside: Reservation) -> Rc<Self> {
        let (events, bytes) = (usize::MAX, usize::MAX);
        Self::new(Capacity { events, bytes }, share, beside, None)
    }

    /// Its source asks for [each verdict](Self::verdicts).
    pub fn recorded(capacity: Capacity, share: &Rc<Share>) -> Rc<Self> {
        let verdicts = Some(RefCell::default());
        Self::new(capacity, share, Reservation::of(share), verdicts)
    }

    fn new(
        capacity: Capacity,
        share: &Rc<Share>,
        beside: Reservation,
        verdicts: Option<RefCell<Vec<(u64, Verdict)>>>,
    ) -> Rc<Self> {
        Rc::new(Self {
            capacity,
            share: Rc::clone(share),
            beside,
            slots: RefCell::default(),
            drained_by: Cell::new(None),
            lets_go: Cell::new(false),
            abandoned: Cell::new(false),
            held: Cell::new(None),
            refusal: RefCell::default(),
            dropped: Cell::new(0),
            verdicts,
            changed: Notify::new(),
        })
    }

    pub fn beside(&self) -> &Reservation {
        &self.beside
    }

    /// Never again once a drain has begun.
    pub fn has_room(&self) -> bool {
        let has_room = || self.is_below_capacity() && self.share.room() > 0;
        self.drained_by.get().is_none() && (self.is_empty() || has_room())
    }

    fn is_below_capacity(&self) -> bool {
        let slots = self.slots.borrow();
        slots.len() < self.capacity.events && slots.bytes() < self.capacity.bytes
    }

    /// Whether the window is full, and this is its oldest message.
    pub fn is_full_behind(&self, sequence: u64) -> bool {
        !self.is_below_capacity() && self.slots.borrow().first() == sequence
    }

    pub async fn room(&self) {
        while !self.has_room() {
            let changed = self.changed.notified();
            match self.is_below_capacity() {
                // What another route gives back wakes nobody.
                true => drop(timeout(AGAIN, changed).await),
                false => changed.await,
            }
        }
    }

    /// Whether the route has no room for so many bytes, while events are held here.
    pub fn is_short_of(&self, bytes: usize) -> bool {
        !self.is_empty() && self.share.room() < bytes
    }

    /// Waits for so much memory of the route, or until nothing is held here.
    pub async fn room_for(&self, bytes: usize) {
        while self.is_short_of(bytes) {
            drop(timeout(AGAIN, self.changed.notified()).await);
        }
    }

    /// Ask for [room](Self::has_room) first.
    pub fn admit(self: &Rc<Self>, received: Received) -> Delivery {
        let written_ms = received.timestamp_ms;
        self.admit_written(received, written_ms)
    }

    /// Of a source that knows when a message was written, and does not carry that on.
    pub fn admit_written(self: &Rc<Self>, received: Received, written_ms: Option<i64>) -> Delivery {
        let written_ms = written_ms.filter(|&time| time > 0);
        let written_ms = written_ms.unwrap_or_else(|| Timestamp::now().as_millisecond());
        let (number, memory) = (received.position.number, received.memory());
        let held = Reservation::of(&self.share);
        held.set(memory + OVERHEAD);
        let sequence = self.slots.borrow_mut().push(number, memory, written_ms);
        Delivery {
            received,
            window: Rc::clone(self),
            sequence,
            written_ms,
            held,
        }
    }

    /// Those since the last call, with the sequence of each. None ever come where none are recorded.
    pub async fn verdicts(&self) -> Vec<(u64, Verdict)> {
        loop {
            let verdicts = self.verdicts.as_ref().map(RefCell::take);
            if let Some(verdicts) = verdicts.filter(|verdicts| !verdicts.is_empty()) {
                return verdicts;
            }
            self.changed.notified().await;
        }
    }

    /// Something was settled or given up, or a drain has begun.
    pub fn changed(&self) -> impl Future<Output = ()> {
        self.changed.notified()
    }

    /// The number of the last message of the settled run at the front; `None` before the first.
    pub fn watermark(&self) -> Option<u64> {
        *self.slots.borrow().watermark()?
    }

    /// All up to `last` needs no verdict but what is held here. Not in a drain, which cuts off what has none.
    pub fn pass(&self, last: u64) {
        let is_settled = self.is_empty() && self.drained_by.get().is_none();
        if is_settled && self.watermark() < Some(last) {
            self.slots.borrow_mut().pass(Some(last));
            self.changed.notify_waiters();
        }
    }

    /// When the oldest unsettled message was written, in milliseconds since 1970.
    pub fn oldest_ms(&self) -> Option<i64> {
        self.slots.borrow().oldest()
    }

    /// Above the watermark.
    pub fn len(&self) -> usize {
        self.slots.borrow().len()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.borrow().is_empty()
    }

    pub fn bytes(&self) -> usize {
        self.slots.borrow().bytes()
    }

    /// The source reads no further until somebody acts; what was taken goes on.
    pub fn hold(&self, reason: &'static str) {
        self.held.set(Some(reason));
    }

    pub fn go_on(&self) {
        self.held.set(None);
    }

    /// In events and bytes.
    pub fn room_left(&self) -> (usize, usize) {
        if self.drained_by.get().is_some() {
            return (0, 0);
        }
        let slots = self.slots.borrow();
        let bytes = self.capacity.bytes.saturating_sub(slots.bytes());
        (
            self.capacity.events.saturating_sub(slots.len()),
            bytes.min(self.share.room()).min(self.share.ahead()),
        )
    }

    pub fn held(&self) -> Option<&'static str> {
        self.held.get()
    }

    /// Without a verdict, a fault of the bridge. The slot blocks the watermark, so nothing is lost.
    pub fn dropped(&self) -> u64 {
        self.dropped.get()
    }

    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal.borrow().clone()
    }

    /// Every message is settled or given up, or the window is abandoned. Bound it with a deadline.
    pub async fn finished(&self) {
        while self.slots.borrow().is_at_work() && !self.abandoned.get() {
            self.changed.notified().await;
        }
    }

    /// Starts a drain: messages behind the last started one are dropped, the others go on until `deadline`.
    pub fn drain(&self, deadline: Instant) {
        self.slots.borrow_mut().cut_unstarted_tail();
        self.drain_all(deadline);
    }

    /// Starts a drain of what nobody would deliver again: all of it goes on until `deadline`.
    pub fn drain_all(&self, deadline: Instant) {
        self.drained_by.set(Some(deadline));
        self.changed.notify_waiters();
    }

    /// Where all is settled together or nothing is: at once unless some of it has started.
    pub fn drain_together(&self, deadline: Instant) {
        if self.slots.borrow().has_started() {
            self.drain_all(deadline);
        } else {
            self.abandon();
        }
    }

    /// The bridge stops: what waits for another attempt comes again after the next start.
    pub fn let_go(&self) {
        self.lets_go.set(true);
    }

    pub fn lets_go(&self) -> bool {
        self.lets_go.get()
    }

    /// Of a drain, once one has begun.
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.drained_by.get()?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Nothing may start any more, and what is unsettled stays so.
    pub fn abandon(&self) {
        self.abandoned.set(true);
        self.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
