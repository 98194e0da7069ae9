//! How many connections a receiver is asked for at a time: a connection without an answer may still stand in
//! its listen backlog, and where that is full, a connect hangs for seconds.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// Connects under way at most, and connections without an answer at first: below the smallest common backlog,
/// 5.
const START: usize = 4;
/// After so long without any answer the receiver is slow, not its backlog full: twice as many.
const SILENCE: Duration = Duration::from_secs(1);

pub(super) struct Backlog {
    opening: Cell<usize>,
    unanswered: Cell<usize>,
    /// One more for every two first answers in time, half after a late one.
    allowed: Cell<usize>,
    most: usize,
    is_second: Cell<bool>,
    /// Since the last failure.
    quickest: Cell<Duration>,
    silent_since: Cell<Instant>,
    failures: Cell<u64>,
    changed: Notify,
}

pub(super) struct Unanswered {
    backlog: Rc<Backlog>,
    since: Instant,
    is_open: bool,
}

impl Backlog {
    pub(super) fn new(most: usize) -> Rc<Self> {
        Rc::new(Self {
            opening: Cell::new(0),
            unanswered: Cell::new(0),
            allowed: Cell::new(START),
            most: most.max(START),
            is_second: Cell::new(false),
            quickest: Cell::new(Duration::MAX),
            silent_since: Cell::new(Instant::now()),
            failures: Cell::new(0),
            changed: Notify::new(),
        })
    }

    /// None while there is no room.
    pub(super) fn enter(self: &Rc<Self>) -> Option<Unanswered> {
        let since = Instant::now();
        if self.unanswered.get() == 0 {
            self.silent_since.set(since);
        }
        self.has_room().then(|| {
            self.opening.set(self.opening.get() + 1);
            self.unanswered.set(self.unanswered.get() + 1);
            Unanswered {
                backlog: Rc::clone(self),
                since,
                is_open: false,
            }
        })
    }

    fn has_room(&self) -> bool {
        let silence = self.silent_since.get().elapsed();
        let doublings = (silence.as_secs() / SILENCE.as_secs()).min(16);
        let allowed = self.most.min(self.allowed.get() << doublings);
        self.opening.get() < START && self.unanswered.get() < allowed
    }

    /// Waits until it is worth asking again. False once a connect failed: who waits would fare no better.
    /// The queue moves with each answer and each second without one, so nobody stands in it for ever.
    pub(super) async fn changed(&self) -> bool {
        let failures = self.failures.get();
        let mut changed = pin!(self.changed.notified());
        // A time-out keeps its place in the queue.
        while timeout(SILENCE, changed.as_mut()).await.is_err() && !self.has_room() {}
        failures == self.failures.get()
    }

    /// Ends the wait of all.
    pub(super) fn turn_away(&self) {
        self.failures.set(self.failures.get() + 1);
        self.changed.notify_waiters();
    }

    /// A connection is idle.
    pub(super) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Wakes the first in the queue only if there is room; in vain, it would lose its place.
    fn wake_if_room(&self) {
        if self.has_room() {
            self.wake();
        }
    }

    pub(super) fn answered(&self, took: Duration) {
        self.quickest.set(self.quickest.get().min(took));
        self.silent_since.set(Instant::now());
    }
}

impl Unanswered {
    pub(super) fn open(&mut self) {
        self.is_open = true;
        self.backlog.opening.set(self.backlog.opening.get() - 1);
        self.backlog.wake_if_room();
    }

    pub(super) fn answered(self) {
        let (backlog, took) = (&self.backlog, self.since.elapsed());
        backlog.answered(took);
        let allowed = backlog.allowed.get();
        if took > backlog.quickest.get() * 2 {
            backlog.allowed.set(START.max(allowed / 2));
        } else if backlog.is_second.replace(!backlog.is_second.get()) {
            backlog.allowed.set(backlog.most.min(allowed + 1));
        }
    }
}

impl Drop for Unanswered {
    fn drop(&mut self) {
        let backlog = &self.backlog;
        backlog.unanswered.set(backlog.unanswered.get() - 1);
        if !self.is_open {
            // What was learned of the receiver holds no longer.
            backlog.opening.set(backlog.opening.get() - 1);
            backlog.quickest.set(Duration::MAX);
            backlog.allowed.set(START);
            backlog.silent_since.set(Instant::now());
            backlog.turn_away();
        }
        backlog.wake_if_room();
    }
}
