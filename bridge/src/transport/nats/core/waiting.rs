//! Messages of a subscription that wait for room: no more than a window holds, in events and bytes.
//!
//! The client bounds what it keeps for a subscription in events alone. So that is taken from it at
//! once; what then finds no room is dropped, and missed by who counts.

use std::collections::VecDeque;
use std::rc::Rc;

use async_nats::{Message, Subscriber};
use futures_util::StreamExt;

use crate::delivery::Window;
use crate::delivery::share::{Held, Share};
use crate::delivery::window::Capacity;

/// See the module.
pub(super) struct Waiting {
    subscriber: Subscriber,
    kept: Kept<Message>,
    has_ended: bool,
}

impl Waiting {
    pub(super) fn new(subscriber: Subscriber, capacity: Capacity, share: &Rc<Share>) -> Self {
        Self {
            subscriber,
            kept: Kept::new(capacity, share),
            has_ended: false,
        }
    }

    /// Messages that wait.
    pub(super) fn len(&self) -> usize {
        self.kept.messages.len()
    }

    /// The next message, as soon as the window has room; nothing after the last. May be dropped.
    pub(super) async fn next(&mut self, window: &Window) -> Option<Message> {
        loop {
            if window.has_room() {
                return match self.kept.pop() {
                    None if !self.has_ended => self.subscriber.next().await,
                    message => message,
                };
            }
            tokio::select! {
                biased;
                () = self.gather() => {}
                () = window.room() => {}
            }
        }
    }

    /// Takes what comes, for ever. May be dropped.
    pub(super) async fn gather(&mut self) {
        while !self.has_ended {
            match self.subscriber.next().await {
                Some(message) => self.kept.push(message.length, message),
                None => self.has_ended = true,
            }
        }
        std::future::pending().await
    }
}

/// Messages with their bytes, no more than fit.
struct Kept<M> {
    capacity: Capacity,
    messages: VecDeque<(usize, M)>,
    bytes: Held,
}

impl<M> Kept<M> {
    fn new(capacity: Capacity, share: &Rc<Share>) -> Self {
        Self {
            capacity,
            messages: VecDeque::new(),
            bytes: Held::of(share),
        }
    }

    /// Keeps a message, or drops it; one is always kept, however large.
    fn push(&mut self, length: usize, message: M) {
        let bytes = self.bytes.get().saturating_add(length);
        let fits = self.messages.len() < self.capacity.events && bytes <= self.capacity.bytes;
        if fits || self.messages.is_empty() {
            self.bytes.set(bytes);
            self.messages.push_back((length, message));
        }
    }

    fn pop(&mut self) -> Option<M> {
        let (length, message) = self.messages.pop_front()?;
        self.bytes.set(self.bytes.get() - length);
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_in_events_and_in_bytes() {
        let kept = |lengths: &[usize]| {
            let (events, bytes) = (3, 100);
            let mut kept = Kept::new(Capacity { events, bytes }, &Share::unbounded());
            for (index, length) in lengths.iter().enumerate() {
                kept.push(*length, index);
            }
            let left: Vec<_> = std::iter::from_fn(|| kept.pop()).collect();
            assert_eq!(kept.bytes.get(), 0);
            left
        };
        assert_eq!(kept(&[1, 1, 1, 1]), [0, 1, 2]);
        assert_eq!(kept(&[60, 60, 40]), [0, 2]);
        assert_eq!(kept(&[500, 1]), [0]);
    }
}
