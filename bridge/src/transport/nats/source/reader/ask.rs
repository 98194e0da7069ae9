//! Requests for messages.

use std::time::Duration;

use futures_util::FutureExt;
use tokio::task::unconstrained;
use tokio::time::Instant;

use super::super::consumer::GROUP;
use super::super::epoch::Epoch;
use super::super::pulls::{Pull, Room, nanos};
use super::{AGAIN, Reader};

impl Reader {
    /// Asks for more, where there is room.
    pub(super) fn ask(&self, epoch: &mut Epoch) {
        let (events, bytes) = self.window.room_left();
        let room = match &epoch.line {
            // They are not in the window yet.
            Some(line) => Room {
                events: line.still_missing(),
                bytes: self.capacity.bytes,
            },
            // One message is always let in, however large.
            None if self.window.has_room() => Room {
                events: events.max(1),
                bytes: bytes.max(1),
            },
            None => Room {
                events: 0,
                bytes: 0,
            },
        };
        let next = match epoch.stands_by {
            true => (!epoch.pulls.is_open()).then(|| (1, epoch.pulls.largest())),
            false => epoch.pulls.next(room, epoch.most_events),
        };
        if let Some((events, bytes)) = next {
            let bytes = bytes.min(epoch.most_bytes);
            let number = epoch.pulls.open(events, bytes, epoch.answered_by());
            if !self.request(epoch, number, events, bytes, epoch.expires, epoch.heartbeat) {
                epoch.pulls.ended(number, events, bytes);
            }
        } else {
            self.keep_place(epoch);
        }
    }

    /// Without a request for long enough, another process takes over. Nothing fits into one byte, so
    /// this one brings nothing.
    pub(super) fn keep_place(&self, epoch: &mut Epoch) {
        if epoch.expected.is_some()
            && epoch.asked.elapsed() > epoch.pin_timeout / 3
            && self.ask_for_nothing(format!("{}.0", epoch.inbox))
        {
            epoch.asked = Instant::now();
        }
    }

    /// See [`Self::keep_place`].
    pub(super) fn ask_for_nothing(&self, inbox: String) -> bool {
        self.send(
            inbox,
            &Pull {
                batch: 1,
                max_bytes: 1,
                expires: nanos(AGAIN),
                idle_heartbeat: 0,
                group: self.keeps_order.then_some(GROUP),
                id: self.progress.pin.clone(),
            },
        )
    }

    fn request(
        &self,
        epoch: &mut Epoch,
        number: u64,
        batch: usize,
        max_bytes: usize,
        expires: Duration,
        heartbeat: Duration,
    ) -> bool {
        let pull = Pull {
            batch,
            max_bytes,
            expires: nanos(expires),
            idle_heartbeat: nanos(heartbeat),
            group: self.keeps_order.then_some(GROUP),
            id: self.progress.pin.clone().filter(|_| !epoch.stands_by),
        };
        let is_asked = self.send(format!("{}.{number}", epoch.inbox), &pull);
        if is_asked {
            epoch.asked = Instant::now();
        }
        is_asked
    }

    fn send(&self, inbox: String, pull: &Pull) -> bool {
        let pull = serde_json::to_vec(pull).expect("numbers and names are JSON");
        let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{}.{}", self.stream, self.durable);
        let client = &self.link.client;
        let asked = client.publish_with_reply(subject, inbox, pull.into());
        let asked = unconstrained(asked).now_or_never();
        matches!(asked, Some(Ok(())))
    }
}
