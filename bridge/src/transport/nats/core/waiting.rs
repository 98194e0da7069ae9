//! Messages of a subscription that wait for room: no more than a window holds, in events and bytes.
//!
//! The client bounds what it keeps for a subscription in events alone. So that is taken from it at
//! once; what then finds no room is dropped, and missed by who counts.

use std::collections::VecDeque;

use async_nats::{Message, Subscriber};
use futures_util::StreamExt;

use crate::delivery::Window;
use crate::delivery::window::Capacity;

/// See the module.
pub(super) struct Waiting {
    subscriber: Subscriber,
    capacity: Capacity,
    messages: VecDeque<Message>,
    bytes: usize,
    has_ended: bool,
}

impl Waiting {
    pub(super) fn new(subscriber: Subscriber, capacity: Capacity) -> Self {
        Self {
            subscriber,
            capacity,
            messages: VecDeque::new(),
            bytes: 0,
            has_ended: false,
        }
    }

    /// Messages that wait.
    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// The next message, as soon as the window has room; nothing after the last. May be dropped.
    pub(super) async fn next(&mut self, window: &Window) -> Option<Message> {
        loop {
            if window.has_room() {
                if let Some(message) = self.messages.pop_front() {
                    self.bytes -= message.length;
                    return Some(message);
                }
                if self.has_ended {
                    return None;
                }
                return self.subscriber.next().await;
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
                Some(message) => self.keep(message),
                None => self.has_ended = true,
            }
        }
        std::future::pending().await
    }

    fn keep(&mut self, message: Message) {
        let bytes = self.bytes.saturating_add(message.length);
        let fits = self.messages.len() < self.capacity.events && bytes <= self.capacity.bytes;
        if fits || self.messages.is_empty() {
            self.bytes = bytes;
            self.messages.push_back(message);
        }
    }
}
