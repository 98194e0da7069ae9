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
/// Receivers change: after so long, where few are allowed, the quickest is measured anew.
const STALE: Duration = Duration::from_secs(60);

pub(super) struct Backlog {
    opening: Cell<usize>,
    unanswered: Cell<usize>,
    /// One more for every two first answers in time, half after a late one.
    allowed: Cell<usize>,
    most: usize,
    is_second: Cell<bool>,
    /// From the connect to the first answer, and since when that counts.
    quickest: Cell<Duration>,
    measured_since: Cell<Instant>,
    silent_since: Cell<Instant>,
    failures: Cell<u64>,
    /// How often the receiver has asked for one.
    pub(super) pauses: Cell<u64>,
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
            measured_since: Cell::new(Instant::now()),
            silent_since: Cell::new(Instant::now()),
            failures: Cell::new(0),
            pauses: Cell::new(0),
            changed: Notify::new(),
        })
    }

    /// None while there is no room.
    pub(super) fn enter(self: &Rc<Self>) -> Option<Unanswered> {
        let since = Instant::now();
        if self.unanswered.get() == 0 {
            self.silent_since.set(since);
            if self.is_stale() {
                self.measure_anew();
            }
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
        // Alone, it stands in no backlog.
        let allowed = self.allowed.get();
        let allowed = if self.is_stale() { 1 } else { allowed };
        let allowed = self.most.min(allowed << doublings);
        self.opening.get() < START && self.unanswered.get() < allowed
    }

    fn is_stale(&self) -> bool {
        self.allowed.get() == START && self.measured_since.get().elapsed() > STALE
    }

    fn measure_anew(&self) {
        self.quickest.set(Duration::MAX);
        self.measured_since.set(Instant::now());
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

    /// What waits is not sent into it.
    pub(super) fn pause(&self) {
        self.pauses.set(self.pauses.get() + 1);
        self.turn_away();
    }

    /// Ends the wait of all.
    fn turn_away(&self) {
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

    pub(super) fn answered(&self, now: Instant) {
        self.silent_since.set(now);
    }
}

impl Unanswered {
    pub(super) fn open(&mut self) {
        self.is_open = true;
        self.backlog.opening.set(self.backlog.opening.get() - 1);
        self.backlog.wake_if_room();
    }

    pub(super) fn answered(self, now: Instant) {
        let (backlog, took) = (&self.backlog, now - self.since);
        backlog.answered(now);
        backlog.quickest.set(backlog.quickest.get().min(took));
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
            backlog.measure_anew();
            backlog.allowed.set(START);
            backlog.silent_since.set(Instant::now());
            backlog.turn_away();
        }
        backlog.wake_if_room();
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::time::advance;

    use super::*;

    /// So many connections that are opened together, each answered after so long.
    async fn answer(backlog: &Rc<Backlog>, count: usize, took: Duration) -> usize {
        let opened: Vec<_> = std::iter::from_fn(|| {
            let mut unanswered = backlog.enter()?;
            unanswered.open();
            Some(unanswered)
        })
        .take(count)
        .collect();
        advance(took).await;
        let allowed = opened.len();
        let answered = |it: Unanswered| it.answered(Instant::now());
        opened.into_iter().for_each(answered);
        allowed
    }

    #[tokio::test(start_paused = true)]
    async fn a_receiver_that_became_slower_is_measured_anew() {
        let backlog = Backlog::new(64);
        let (quick, slow) = (Duration::from_millis(1), Duration::from_millis(20));
        answer(&backlog, 1, quick).await;
        // Connections that are kept are answered without a connect, and say nothing of its time.
        backlog.answered(Instant::now());
        for _ in 0..2_900 {
            assert_eq!(answer(&backlog, 64, slow).await, START);
        }
        advance(STALE / 20).await;
        for _ in 0..60 {
            answer(&backlog, 64, slow).await;
        }
        assert_eq!(answer(&backlog, 64, slow).await, 64);
    }

    /// Connections of before are answered first.
    #[tokio::test(start_paused = true)]
    async fn it_is_measured_with_one_alone() {
        let backlog = Backlog::new(64);
        let mut before = backlog.enter().unwrap();
        before.open();
        advance(STALE / 2).await;
        backlog.answered(Instant::now());
        advance(STALE / 2 + SILENCE / 2).await;
        backlog.answered(Instant::now());
        assert!(backlog.enter().is_none());
        before.answered(Instant::now());
        assert!(backlog.enter().is_some());
    }
}
