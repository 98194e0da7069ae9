//! The memory for events: `[limits] buffered_bytes`, and the share of each route.
//! A route may hold as much as it leaves free: one that stands still ends with half, two with a third each.
//! Nobody waits for another: a window without events always takes one.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug, Default)]
pub struct Pool {
    most: AtomicUsize,
    ahead: AtomicUsize,
    held: AtomicUsize,
}

impl Pool {
    pub fn new(buffered_bytes: usize, sources: usize) -> Arc<Self> {
        let pool = Self::default();
        pool.resize(buffered_bytes, sources);
        Arc::new(pool)
    }

    /// A quarter is for events, another for what the clients of the `sources` fetch ahead; the rest for one
    /// event beyond in each window, as read and as written, and one batch of each partition.
    pub fn resize(&self, buffered_bytes: usize, sources: usize) {
        let quarter = buffered_bytes / 4;
        self.most.store(quarter, Ordering::Relaxed);
        self.ahead
            .store(quarter / sources.max(1), Ordering::Relaxed);
    }
}

#[derive(Debug)]
pub struct Share {
    pool: Arc<Pool>,
    held: Cell<usize>,
}

impl Share {
    pub fn of(pool: &Arc<Pool>) -> Rc<Self> {
        Rc::new(Self {
            pool: Arc::clone(pool),
            held: Cell::new(0),
        })
    }

    pub fn unbounded() -> Rc<Self> {
        Self::of(&Pool::new(usize::MAX, 1))
    }

    pub fn held(&self) -> usize {
        self.held.get()
    }

    /// What is taken is free no more, so it is half of the difference.
    pub fn room(&self) -> usize {
        let most = self.pool.most.load(Ordering::Relaxed);
        let all = self.pool.held.load(Ordering::Relaxed) + self.held.get();
        most.saturating_sub(all).div_ceil(2)
    }

    /// Most bytes that the client may fetch ahead, all partitions together.
    pub fn ahead(&self) -> usize {
        self.pool.ahead.load(Ordering::Relaxed)
    }
}

/// Given back when dropped.
#[derive(Debug)]
pub struct Reservation {
    share: Rc<Share>,
    bytes: Cell<usize>,
}

impl Reservation {
    pub fn of(share: &Rc<Share>) -> Self {
        Self {
            share: Rc::clone(share),
            bytes: Cell::new(0),
        }
    }

    pub fn get(&self) -> usize {
        self.bytes.get()
    }

    pub fn set(&self, bytes: usize) {
        let before = self.bytes.replace(bytes);
        self.share.held.set(self.share.held.get() - before + bytes);
        // Wraps around where less is held than before.
        let more = bytes.wrapping_sub(before);
        self.share.pool.held.fetch_add(more, Ordering::Relaxed);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.set(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills a share as far as it may, in steps of a byte.
    fn fill(share: &Rc<Share>) -> Reservation {
        let held = Reservation::of(share);
        while share.room() > 0 {
            held.set(held.get() + 1);
        }
        held
    }

    #[test]
    fn whoever_comes_later_finds_half_of_what_is_left() {
        let pool = Pool::new(4 * 1200, 1);
        let shares: Vec<_> = (0..4).map(|_| Share::of(&pool)).collect();
        let held: Vec<_> = shares.iter().map(fill).collect();
        let bytes: Vec<_> = held.iter().map(Reservation::get).collect();
        assert_eq!(bytes, [600, 300, 150, 75]);
        // What one gives back is there for all, in equal parts.
        drop(held);
        assert!(shares.iter().all(|share| share.room() == 600));
        let held: Vec<_> = shares.iter().map(Reservation::of).collect();
        while shares.iter().any(|share| share.room() > 0) {
            for (held, share) in held.iter().zip(&shares) {
                held.set(held.get() + share.room().min(1));
            }
        }
        assert!(held.iter().all(|held| held.get() == 240), "{held:?}");
    }

    #[test]
    fn a_part_is_given_back_when_it_is_dropped() {
        let share = Share::of(&Pool::new(400, 1));
        let (one, other) = (Reservation::of(&share), Reservation::of(&share));
        one.set(30);
        other.set(80);
        one.set(10);
        assert_eq!((share.held(), share.room()), (90, 0));
        drop(other);
        assert_eq!((share.held(), share.room()), (10, 40));
    }
}
