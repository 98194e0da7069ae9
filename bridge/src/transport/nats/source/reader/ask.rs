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
        } else if epoch.expected.is_some() && epoch.asked.elapsed() > epoch.pin_timeout / 3 {
            // Without a request for long enough, another process takes over. Nothing fits into one
            // byte, so this one brings nothing.
            self.request(epoch, 0, 1, 1, AGAIN, Duration::ZERO);
        }
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
        let pull = serde_json::to_vec(&pull).expect("numbers and names are JSON");
        let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{}.{}", self.stream, self.durable);
        let inbox = format!("{}.{number}", epoch.inbox);
        let client = &self.link.client;
        let asked = client.publish_with_reply(subject, inbox, pull.into());
        let asked = unconstrained(asked).now_or_never();
        let is_asked = matches!(asked, Some(Ok(())));
        if is_asked {
            epoch.asked = Instant::now();
        }
        is_asked
    }
}
