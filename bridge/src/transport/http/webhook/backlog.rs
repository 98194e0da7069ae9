//! How many connections a receiver is asked for at a time. One that it has answered nothing on may still
//! stand in its backlog, and where that is full, whoever connects hears nothing for seconds.

use std::cell::Cell;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

/// Connections that are being opened at the same time, and those without an answer while nothing is
/// known: below the smallest backlog in use, which is 5.
const START: usize = 4;
/// A receiver that answers nobody for so long is slow, and not kept from accepting: twice as many.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) struct Backlog {
    opening: Cell<usize>,
    unanswered: Cell<usize>,
    /// Most that may be unanswered: one more for every two first answers in time, half after a late one.
    allowed: Cell<usize>,
    most: usize,
    is_second: Cell<bool>,
    /// The quickest answer since the last failure.
    quickest: Cell<Duration>,
    silent_since: Cell<Instant>,
    failures: Cell<u64>,
    changed: Notify,
}

/// A connection that is being opened, or has brought no answer yet.
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

    /// Leave to open a connection, if it can be given now.
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
        let doublings = (silence.as_secs() / PATIENCE.as_secs()).min(16);
        let allowed = self.most.min(self.allowed.get() << doublings);
        self.opening.get() < START && self.unanswered.get() < allowed
    }

    /// Waits until it is worth asking again, for leave or for a kept connection. False once a connection
    /// could not be opened: who waits would fare no better.
    ///
    /// The line moves with each answer and each second without one, so nobody stands in it for ever.
    pub(super) async fn changed(&self) -> bool {
        let failures = self.failures.get();
        let mut changed = pin!(self.changed.notified());
        // Who looks at the clock keeps its place in the line.
        while timeout(PATIENCE, changed.as_mut()).await.is_err() && !self.has_room() {}
        failures == self.failures.get()
    }

    /// A kept connection is there.
    pub(super) fn wake(&self) {
        self.changed.notify_one();
    }

    /// Wakes who has waited longest, if there is room: in vain, it would go to the end of the line.
    fn wake_if_room(&self) {
        if self.has_room() {
            self.wake();
        }
    }

    /// An answer came after so long.
    pub(super) fn answered(&self, took: Duration) {
        self.quickest.set(self.quickest.get().min(took));
        self.silent_since.set(Instant::now());
    }
}

impl Unanswered {
    /// The connection is open.
    pub(super) fn open(&mut self) {
        self.is_open = true;
        self.backlog.opening.set(self.backlog.opening.get() - 1);
        self.backlog.wake_if_room();
    }

    /// The first answer came.
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
            // What was known of the receiver holds no longer.
            backlog.opening.set(backlog.opening.get() - 1);
            backlog.quickest.set(Duration::MAX);
            backlog.allowed.set(START);
            backlog.silent_since.set(Instant::now());
            backlog.failures.set(backlog.failures.get() + 1);
            backlog.changed.notify_waiters();
        }
        backlog.wake_if_room();
    }
}
