//! The window of one part of a source, such as a partition: what was taken and is not settled.
//!
//! A source makes a window when it gains a partition and forgets it when it loses the partition, so
//! a late verdict of an earlier assignment reaches a window from which nobody commits.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::share::{Reservation, Share};
use super::slots::Slots;
use super::{Delivery, Position, Received, Verdict};

/// What an event takes beside its bytes: its slot, its lane, and what names its parts.
const OVERHEAD: usize = 1024;
/// How soon a window looks again that waits for what other routes hold. Its own verdicts wake it.
const AGAIN: Duration = Duration::from_millis(100);

/// How much a window may hold. One message is always let in, however large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capacity {
    /// Most events above the watermark.
    pub events: usize,
    /// Most bytes above the watermark.
    pub bytes: usize,
}

/// Why a message cannot be taken that its source wants to hear of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The message is at fault: what is wrong, and where.
    Undecodable(cloudevents_nl_codec::DecodeError),
    /// The event cannot be written in the mode of the destination.
    Unwritable(cloudevents_nl_codec::EncodeError),
    /// The destination will never take it.
    ByDestination(crate::outcome::Outcome),
}

#[derive(Debug)]
pub struct Window {
    capacity: Capacity,
    share: Rc<Share>,
    /// What its source counts beside, as long as one of its deliveries is under way.
    beside: Reservation,
    pub(super) slots: RefCell<Slots<Position, Instant>>,
    /// Nothing more is let in, and what is unsettled then stays so.
    drained_by: Cell<Option<Instant>>,
    /// No delivery may start any more.
    pub(super) abandoned: Cell<bool>,
    /// Why its source reads no further until somebody acts.
    held: Cell<Option<&'static str>>,
    refusal: RefCell<Option<Refusal>>,
    pub(super) dropped: Cell<u64>,
    /// What was settled since its source asked, where it wants to know.
    verdicts: Option<RefCell<Vec<(u64, Verdict)>>>,
    changed: Notify,
}

impl Window {
    /// A window over one partition of a log, for a route that has `share`.
    pub fn partition(capacity: Capacity, share: &Rc<Share>) -> Rc<Self> {
        Rc::new(Self::new(capacity, share))
    }

    /// A window without bounds, whose source counts something [beside](Self::beside).
    pub fn unbounded(share: &Rc<Share>, beside: Reservation) -> Rc<Self> {
        let unbounded = Capacity {
            events: usize::MAX,
            bytes: usize::MAX,
        };
        Rc::new(Self {
            beside,
            ..Self::new(unbounded, share)
        })
    }

    /// A window whose source asks for [each verdict](Self::verdicts) and does more with it than
    /// move a watermark.
    pub fn recorded(capacity: Capacity, share: &Rc<Share>) -> Rc<Self> {
        Rc::new(Self {
            verdicts: Some(RefCell::default()),
            ..Self::new(capacity, share)
        })
    }

    fn new(capacity: Capacity, share: &Rc<Share>) -> Self {
        Self {
            capacity,
            share: Rc::clone(share),
            beside: Reservation::of(share),
            slots: RefCell::default(),
            drained_by: Cell::new(None),
            abandoned: Cell::new(false),
            held: Cell::new(None),
            refusal: RefCell::default(),
            dropped: Cell::new(0),
            verdicts: None,
            changed: Notify::new(),
        }
    }

    /// What its source counts beside what is let in.
    pub fn beside(&self) -> &Reservation {
        &self.beside
    }

    /// Whether the next message would be let in now; never again once a drain has begun.
    pub fn has_room(&self) -> bool {
        if self.drained_by.get().is_some() {
            return false;
        }
        self.slots.borrow().is_empty() || self.is_below_capacity() && self.share.room() > 0
    }

    fn is_below_capacity(&self) -> bool {
        let slots = self.slots.borrow();
        slots.len() < self.capacity.events && slots.bytes() < self.capacity.bytes
    }

    /// Whether nothing more is let in, and the message of this sequence is the oldest.
    pub fn is_full_behind(&self, sequence: u64) -> bool {
        !self.is_below_capacity() && self.slots.borrow().first() == sequence
    }

    pub async fn room(&self) {
        while !self.has_room() {
            let changed = self.changed.notified();
            match self.is_below_capacity() {
                // Nobody tells of what another route gave back.
                true => drop(timeout(AGAIN, changed).await),
                false => changed.await,
            }
        }
    }

    /// Whether events are held here, and the memory of the route has no room for so many bytes.
    pub fn is_short_of(&self, bytes: usize) -> bool {
        !self.is_empty() && self.share.room() < bytes
    }

    /// Waits until the memory of the route has room for so many bytes, or nothing is held here.
    pub async fn room_for(&self, bytes: usize) {
        while self.is_short_of(bytes) {
            drop(timeout(AGAIN, self.changed.notified()).await);
        }
    }

    /// Waits until a verdict is given, or anything else changes.
    pub async fn changes(&self) {
        self.changed.notified().await;
    }

    /// Takes a message in; ask for [room](Self::has_room) first.
    pub fn admit(self: &Rc<Self>, received: Received) -> Delivery {
        let (position, memory) = (received.position.clone(), received.memory());
        let held = Reservation::of(&self.share);
        held.set(memory + OVERHEAD);
        let sequence = self
            .slots
            .borrow_mut()
            .push(position, memory, Instant::now());
        Delivery {
            received,
            window: Rc::clone(self),
            sequence,
            held,
        }
    }

    pub(super) fn settle(&self, sequence: u64, verdict: Verdict) {
        if self.slots.borrow_mut().settle(sequence) {
            // No more than it has slots: a source that admits without asking is a source at fault.
            if let Some(verdicts) = &self.verdicts {
                verdicts.borrow_mut().push((sequence, verdict));
            }
            self.changed.notify_waiters();
        }
    }

    pub(super) fn give_up(&self, sequence: u64) {
        self.slots.borrow_mut().give_up(sequence);
        self.changed.notify_waiters();
    }

    pub(super) fn refuse(&self, refusal: Refusal) {
        self.refusal.borrow_mut().get_or_insert(refusal);
        self.abandon();
    }

    /// Waits for verdicts, and takes those that were given since the last call, each with the
    /// [sequence](Delivery::sequence) of its delivery. None ever come where none are recorded.
    pub async fn verdicts(&self) -> Vec<(u64, Verdict)> {
        loop {
            let recorded = self.verdicts.as_ref().map(RefCell::take);
            if let Some(verdicts) = recorded
                && !verdicts.is_empty()
            {
                return verdicts;
            }
            self.changed.notified().await;
        }
    }

    /// The last position below which everything is settled, once there is one.
    pub fn watermark(&self) -> Option<Position> {
        self.slots.borrow().watermark().cloned()
    }

    /// Positions above the watermark that are settled: something before them is not.
    pub fn settled(&self) -> Vec<Position> {
        self.slots.borrow().settled().cloned().collect()
    }

    /// When the oldest unsettled message was taken.
    pub fn oldest(&self) -> Option<Instant> {
        self.slots.borrow().oldest()
    }

    /// Events held above the watermark.
    pub fn len(&self) -> usize {
        self.slots.borrow().len()
    }

    /// Whether every message taken is settled.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn bytes(&self) -> usize {
        self.slots.borrow().bytes()
    }

    /// Notes that its source reads no further until somebody acts; what was taken goes on.
    pub fn hold(&self, reason: &'static str) {
        self.held.set(Some(reason));
    }

    /// Notes that its source reads on.
    pub fn go_on(&self) {
        self.held.set(None);
    }

    /// How much more may be asked for, in events and bytes.
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

    /// Why its source reads no further, as a constant word.
    pub fn held(&self) -> Option<&'static str> {
        self.held.get()
    }

    /// Deliveries that were dropped without a verdict although nobody had abandoned the window.
    /// Anything but 0 is a fault of the bridge: the slot blocks the watermark, so nothing is lost.
    pub fn dropped(&self) -> u64 {
        self.dropped.get()
    }

    /// Why one of its messages was refused.
    pub fn refusal(&self) -> Option<Refusal> {
        self.refusal.borrow().clone()
    }

    /// Waits until every message is settled or given up, or the window is abandoned. Bound it with a
    /// deadline.
    pub async fn finished(&self) {
        while self.slots.borrow().is_at_work() && !self.abandoned.get() {
            self.changed.notified().await;
        }
    }

    /// Starts a drain: messages behind the last started one are let go, the others go on until
    /// `deadline`. What cannot be settled by then is given up as soon as that is known.
    pub fn drain(&self, deadline: Instant) {
        self.drained_by.set(Some(deadline));
        self.slots.borrow_mut().cut_unstarted_tail();
        self.changed.notify_waiters();
    }

    /// How long a drain still lasts, once one has begun.
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.drained_by.get()?;
        Some(deadline.saturating_duration_since(Instant::now()))
    }

    /// Ends it: nothing may start any more, and what is unsettled stays so.
    pub fn abandon(&self) {
        self.abandoned.set(true);
        self.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests;
