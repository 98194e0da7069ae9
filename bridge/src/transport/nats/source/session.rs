//! A session of pull requests: an inbox of its own, what was asked for there, and what comes.

use std::time::Duration;

use async_nats::{Message, Subject, Subscriber};
use futures_util::{FutureExt, StreamExt};
use tokio::time::Instant;

use super::super::link::Link;
use super::super::message::MessageInfo;
use super::consumer::{GROUP, PIN_TIMEOUT};
use super::durable::Durable;
use super::pulls::{Pull, Pulls, nanos};
use super::server_status::ServerStatus;
use crate::delivery::Window;
use crate::delivery::window::Capacity;

/// How long a request lives; the server ends it, which shows that it is there. A process with a pin
/// keeps it that way.
const EXPIRES: Duration = Duration::from_millis(1_600);
/// How much later than it said a server may end a request.
const GRACE: Duration = Duration::from_secs(2);
const _: () = assert!(EXPIRES.as_millis() * 3 < PIN_TIMEOUT.as_millis());

/// See the module.
pub(super) struct Session {
    durable: Durable,
    subscriber: Subscriber,
    inbox: String,
    pulls: Pulls,
    keeps_order: bool,
    /// What names this process while only it may read.
    pub(super) pin: Option<String>,
    /// How often the connection had been lost before.
    disconnections: u64,
    asked: Instant,
}

/// A message, what its delivery says of it, and what acknowledges it.
pub(super) type Delivered = (Message, MessageInfo, Subject);

impl Session {
    /// Begins to listen; nothing is asked for yet.
    pub(super) async fn open(
        link: &Link,
        durable: &Durable,
        capacity: Capacity,
        keeps_order: bool,
    ) -> Result<Self, String> {
        let disconnections = link.disconnections();
        let inbox = link.client.new_inbox();
        let subscriber = link.client.subscribe(format!("{inbox}.*")).await;
        Ok(Self {
            durable: durable.clone(),
            subscriber: subscriber.map_err(|error| error.to_string())?,
            inbox,
            pulls: Pulls::new(capacity, link.client.max_payload()),
            keeps_order,
            pin: None,
            disconnections,
            asked: Instant::now(),
        })
    }

    /// Asks for more, where the window has room; else for nothing, often enough to keep the pin.
    pub(super) fn ask(&mut self, window: &Window) {
        let (events, bytes) = window.room_left();
        let room = match window.has_room() {
            // One message is always let in, however large.
            true => (events.max(1), bytes.max(1)),
            false => (0, 0),
        };
        if let Some((events, bytes)) = self.pulls.next(room) {
            let until = Instant::now() + EXPIRES + GRACE;
            let number = self.pulls.open(events, bytes, until);
            if !self.pull(number, events, bytes) {
                self.pulls.ended(number, events, bytes);
            }
        } else if self.pin.is_some() && self.asked.elapsed() > EXPIRES {
            // Nothing fits into one byte, and nobody waits for an answer.
            self.pull(0, 1, 1);
        }
    }

    fn pull(&mut self, number: u64, batch: usize, max_bytes: usize) -> bool {
        let pull = Pull {
            batch,
            max_bytes,
            expires: nanos(EXPIRES),
            group: self.keeps_order.then_some(GROUP),
            id: self.pin.clone(),
        };
        let is_asked = self.durable.pull(format!("{}.{number}", self.inbox), &pull);
        if is_asked {
            self.asked = Instant::now();
        }
        is_asked
    }

    /// The next message; nothing after an answer that only ends a request. May be dropped.
    ///
    /// # Errors
    /// Why the session cannot go on.
    pub(super) async fn next(&mut self) -> Result<Option<Delivered>, String> {
        let message = self.subscriber.next().await;
        self.read(message.ok_or("the subscription ended")?)
    }

    /// The next message, if it is there already.
    pub(super) fn next_now(&mut self) -> Result<Option<Delivered>, String> {
        match self.subscriber.next().now_or_never().flatten() {
            Some(message) => self.read(message),
            None => Ok(None),
        }
    }

    fn read(&mut self, message: Message) -> Result<Option<Delivered>, String> {
        match ServerStatus::of(&message) {
            None => {}
            Some(ServerStatus::Heartbeat) => return Ok(None),
            Some(ServerStatus::SessionEnded(cause)) => return Err(cause),
            Some(ServerStatus::PullEnded {
                events,
                bytes,
                was_too_small,
            }) => {
                let number = message.subject.rsplit('.').next();
                // The request that only keeps the pin is no request for messages.
                if let Some(number @ 1..) = number.and_then(|number| number.parse().ok()) {
                    if was_too_small {
                        self.pulls.was_too_small();
                    }
                    self.pulls.ended(number, events, bytes);
                }
                return Ok(None);
            }
        }
        let reply = message.reply.clone();
        let Some((reply, info)) =
            reply.and_then(|reply| Some((reply.clone(), MessageInfo::of(&reply)?)))
        else {
            return Ok(None);
        };
        self.pulls.came(message.length);
        Ok(Some((message, info, reply)))
    }

    /// Why the session cannot go on, though nobody said so.
    pub(super) fn is_broken(&self, link: &Link) -> Option<&'static str> {
        if link.disconnections() != self.disconnections {
            Some(CONNECTION_LOST)
        } else if self.pulls.is_overdue(Instant::now()) {
            Some("the server was silent for too long")
        } else {
            None
        }
    }
}

pub(super) const CONNECTION_LOST: &str = "the connection was lost";
