//! Pure: how much was asked of the server and did not come yet.
//!
//! Two requests overlap, so that messages flow while the next one is on its way. Together they
//! never ask for more than the window has room for. A server that cannot send a message because it
//! is larger than what is left of a request says so; the next request then asks for one message,
//! however large.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::Serialize;
use tokio::time::Instant;

use crate::delivery::window::Capacity;

/// Requests that are open at the same time.
const OVERLAP: usize = 2;
/// Most bytes of a single message beside its payload: subject, reply subject, what servers add.
const MARGIN: usize = 16 * 1024;

/// A request for messages, as it goes over the wire.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Pull {
    pub(super) batch: usize,
    pub(super) max_bytes: usize,
    /// Nanoseconds.
    pub(super) expires: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
}

/// Requests that are open.
#[derive(Debug)]
pub(super) struct Pulls {
    /// The most that is ever asked for.
    capacity: Capacity,
    /// Bytes of the largest message that the server takes.
    largest: usize,
    open: BTreeMap<u64, Instant>,
    next: u64,
    events: usize,
    bytes: usize,
    wants_a_large_one: bool,
}

impl Pulls {
    pub(super) fn new(capacity: Capacity, max_payload: usize) -> Self {
        Self {
            capacity,
            largest: max_payload.saturating_add(MARGIN),
            open: BTreeMap::new(),
            next: 0,
            events: 0,
            bytes: 0,
            wants_a_large_one: false,
        }
    }

    /// What to ask for next, in events and bytes, where there is so much room; nothing when enough is
    /// asked for.
    pub(super) fn next(&self, room: (usize, usize)) -> Option<(usize, usize)> {
        let half = |all: usize| all.div_ceil(OVERLAP).max(1);
        let events = room.0.saturating_sub(self.events);
        let bytes = room.1.saturating_sub(self.bytes);
        let is_empty = self.open.is_empty();
        if self.open.len() >= OVERLAP || events == 0 || bytes == 0 {
            return None;
        }
        if self.wants_a_large_one {
            // Alone, so that nothing beside it takes the room.
            return is_empty.then_some((1, self.largest));
        }
        // A request for a handful while another one is open costs more than it brings.
        let is_worth_it =
            events * 4 >= self.capacity.events && bytes.saturating_mul(4) >= self.capacity.bytes;
        let asked = (
            events.min(half(self.capacity.events)),
            bytes.min(half(self.capacity.bytes)),
        );
        (is_empty || is_worth_it).then_some(asked)
    }

    /// Notes a request, which the server answers by `until`; returns its number.
    pub(super) fn open(&mut self, events: usize, bytes: usize, until: Instant) -> u64 {
        self.next += 1;
        self.open.insert(self.next, until);
        self.events += events;
        self.bytes += bytes;
        self.wants_a_large_one = false;
        self.next
    }

    /// Notes a message of so many bytes.
    pub(super) fn came(&mut self, bytes: usize) {
        self.events = self.events.saturating_sub(1);
        self.bytes = self.bytes.saturating_sub(bytes);
        if self.events == 0 {
            self.open.clear();
            self.bytes = 0;
        }
    }

    /// Notes that a request ended with so much of it unused.
    pub(super) fn ended(&mut self, number: u64, events: usize, bytes: usize) {
        if self.open.remove(&number).is_some() {
            self.events = self.events.saturating_sub(events);
            self.bytes = self.bytes.saturating_sub(bytes);
        }
        if self.open.is_empty() {
            self.events = 0;
            self.bytes = 0;
        }
    }

    /// Notes that a message was larger than a request allowed.
    pub(super) fn was_too_small(&mut self) {
        self.wants_a_large_one = true;
    }

    /// Whether a request is overdue: the server forgot it.
    pub(super) fn is_overdue(&self, now: Instant) -> bool {
        self.open.values().any(|until| *until < now)
    }
}

/// Nanoseconds as the server wants them.
pub(super) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pulls() -> Pulls {
        Pulls::new(
            Capacity {
                events: 100,
                bytes: 1000,
            },
            5000,
        )
    }

    const ALL: (usize, usize) = (100, 1000);

    #[tokio::test(start_paused = true)]
    async fn two_requests_share_the_room() {
        let (mut pulls, until) = (pulls(), Instant::now());
        for number in 1..=2 {
            assert_eq!(pulls.next(ALL), Some((50, 500)));
            assert_eq!(pulls.open(50, 500, until), number);
        }
        assert_eq!(pulls.next(ALL), None);
        // What came is in the window, so the room shrinks as the request does.
        for taken in 1..=50 {
            pulls.came(10);
            assert_eq!(
                pulls.next((100 - taken, 1000 - 10 * taken)),
                None,
                "{taken}"
            );
        }
        pulls.ended(1, 0, 0);
        assert_eq!(pulls.next((60, 1000)), None);
        assert_eq!(pulls.next(ALL), Some((50, 500)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_larger_than_the_room_is_asked_for_alone() {
        let mut pulls = pulls();
        let first = pulls.open(50, 500, Instant::now());
        let second = pulls.open(50, 500, Instant::now());
        pulls.was_too_small();
        pulls.ended(first, 50, 500);
        assert_eq!(pulls.next(ALL), None);
        pulls.ended(second, 50, 500);
        assert_eq!(pulls.next(ALL), Some((1, 5000 + MARGIN)));
        pulls.open(1, 5000 + MARGIN, Instant::now());
        pulls.came(4000);
        assert_eq!(pulls.next(ALL), Some((50, 500)));
    }

    #[tokio::test(start_paused = true)]
    async fn without_room_nothing_is_asked_and_what_never_ends_is_overdue() {
        let mut pulls = pulls();
        assert_eq!(pulls.next((0, 10)), None);
        assert_eq!(pulls.next((10, 0)), None);
        pulls.open(1, 1, Instant::now() + Duration::from_secs(1));
        assert!(!pulls.is_overdue(Instant::now()));
        tokio::time::advance(Duration::from_secs(2)).await;
        assert!(pulls.is_overdue(Instant::now()));
    }
}
