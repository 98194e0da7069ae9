//! A session of pull requests with an inbox of its own: one request is open at a time, for as much
//! as the window has room for.

use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::{Client, Message, Subject, Subscriber};
use futures_util::{FutureExt, StreamExt};
use serde_json::json;
use tokio::task::unconstrained;
use tokio::time::Instant;

use super::super::link::Link;
use super::super::message::MessageInfo;
use super::End;
use super::consumer::{GROUP, PIN_TIMEOUT};
use super::durable::Durable;
use super::reader::POLL;
use crate::delivery::Window;

/// The server ends a request, which shows that it is there; with requests a process keeps its pin.
const EXPIRES: Duration = Duration::from_secs(1);
/// A server may end a request so much later.
const GRACE: Duration = Duration::from_millis(1_500);
/// What is in flight ends so long before the pin does, at the least.
const MARGIN: Duration = Duration::from_millis(500);
// The last request that was answered, one that was not, and the time to notice.
const _: () = assert!(
    2 * EXPIRES.as_millis() + GRACE.as_millis() + 2 * POLL.as_millis() + MARGIN.as_millis()
        <= PIN_TIMEOUT.as_millis()
);
/// With an order a connection of 10 Mbit/s brings them before the server counts as silent.
const BYTES_MAX: usize = 2 << 20;
const TOO_LARGE: &str = "Message Size Exceeds MaxBytes";

pub(super) struct Session {
    client: Client,
    subscriber: Subscriber,
    inbox: String,
    next_subject: String,
    keeps_order: bool,
    /// The number of the last request, and when it was made.
    request: u64,
    requested_at: Instant,
    /// It has not ended: no other one is made before.
    is_open: bool,
    /// Messages that are still to come of it.
    pub(super) awaited: usize,
    /// The next message is larger than the window has room for, and comes alone.
    is_too_large: bool,
    unanswered_since: Option<Instant>,
    /// By the connection, and when they were found to be more.
    bytes_received: (u64, Instant),
    /// The last request that the server has surely met was made then.
    pin_kept_at: Instant,
    connection: Option<u64>,
}

pub(super) type Delivered = (Message, MessageInfo, Subject);

impl Session {
    pub(super) async fn open(durable: &Durable) -> Result<Self, End> {
        let (client, origin) = (&durable.link.client, &durable.origin);
        let inbox = client.new_inbox();
        Ok(Self {
            subscriber: client.subscribe(format!("{inbox}.*")).await?,
            client: client.clone(),
            inbox,
            next_subject: format!(
                "$JS.API.CONSUMER.MSG.NEXT.{}.{}",
                origin.stream, origin.durable
            ),
            keeps_order: durable.opening.keeps_order,
            request: 0,
            requested_at: Instant::now(),
            is_open: false,
            awaited: 0,
            is_too_large: false,
            unanswered_since: None,
            bytes_received: (0, Instant::now()),
            pin_kept_at: Instant::now(),
            connection: durable.found_on,
        })
    }

    /// When it returns, the client unsubscribes before anything that it is given later.
    pub(super) async fn close(mut self) {
        // It fails where the client has ended.
        drop(self.subscriber.unsubscribe().await);
    }

    /// Where the window is full it only keeps the pin.
    pub(super) fn pull(&mut self, window: &Window, pin: Option<&str>) {
        if self.is_open {
            return;
        }
        if !window.has_room() {
            return self.keep_pin(pin);
        }
        // One message is always let in, however large: it may be larger than messages may be now.
        let (events, bytes) = match (self.is_too_large, window.room_left()) {
            (true, _) => (1, None),
            (false, (events, bytes)) => (events.max(1), Some(bytes.clamp(1, BYTES_MAX))),
        };
        if self.request(events, bytes, pin) {
            self.awaited = events;
        }
    }

    /// Requests nothing, often enough.
    pub(super) fn keep_pin(&mut self, pin: Option<&str>) {
        if pin.is_some() && !self.is_open && self.requested_at.elapsed() > EXPIRES {
            // Nothing fits into one byte.
            self.request(1, Some(1), pin);
        }
    }

    /// Never waits; false where the client is busy.
    fn request(&mut self, batch: usize, max_bytes: Option<usize>, pin: Option<&str>) -> bool {
        let payload = json!({
            "batch": batch,
            "expires": EXPIRES.as_nanos(),
            "max_bytes": max_bytes,
            "group": self.keeps_order.then_some(GROUP),
            "id": pin,
        });
        let now = Instant::now();
        self.unanswered_since.get_or_insert(now);
        let (client, to) = (&self.client, self.next_subject.clone());
        let reply = format!("{}.{}", self.inbox, self.request + 1);
        let sending = client.publish_with_reply(to, reply, payload.to_string().into());
        // Tokio's task budget is far smaller than one turn may send.
        self.is_open = matches!(unconstrained(sending).now_or_never(), Some(Ok(())));
        if self.is_open {
            self.request += 1;
            self.requested_at = now;
        }
        self.is_open
    }

    fn ended(&mut self) {
        self.is_open = false;
        self.awaited = 0;
        self.unanswered_since = None;
    }

    /// What is in flight must have ended by then: another process may have the pin.
    pub(super) fn fence(&self) -> Instant {
        self.pin_kept_at + PIN_TIMEOUT - MARGIN
    }

    /// Nothing after a status that only ends a request. May be dropped.
    pub(super) async fn next(&mut self) -> Result<Option<Delivered>, End> {
        let message = self.subscriber.next().await;
        // It ends with the client.
        self.read(message.ok_or(End::ConnectionLost)?)
    }

    pub(super) fn next_now(&mut self) -> Result<Option<Delivered>, End> {
        match self.subscriber.next().now_or_never().flatten() {
            Some(message) => self.read(message),
            None => Ok(None),
        }
    }

    fn read(&mut self, mut message: Message) -> Result<Option<Delivered>, End> {
        // Some servers deliver a stored message with the status that somebody published: what has a
        // sequence is no status of the server.
        if let Some(info) = message.reply.as_deref().and_then(MessageInfo::of)
            && let Some(reply) = message.reply.take()
        {
            self.pin_kept_at = self.requested_at;
            self.is_too_large = false;
            self.awaited = self.awaited.saturating_sub(1);
            if self.awaited == 0 {
                self.ended();
            }
            return Ok(Some((message, info, reply)));
        }
        let Some(status) = message.status else {
            return Ok(None);
        };
        let exceeds = request_ended(status.as_u16(), message.description.as_deref())?;
        let request = message.subject.rsplit('.').next();
        if request.is_some_and(|request| request.parse::<u64>() == Ok(self.request)) {
            self.pin_kept_at = self.requested_at;
            // Nothing fits into a request that only keeps the pin.
            self.is_too_large |= exceeds && self.awaited > 0;
            self.ended();
        }
        Ok(None)
    }

    /// The server has said something by then. None while nothing is asked for.
    pub(super) fn answered_by(&self) -> Option<Instant> {
        let silent = self.unanswered_since?.max(self.bytes_received.1) + EXPIRES + GRACE;
        let pin_lost = self.keeps_order.then(|| self.fence());
        pin_lost.into_iter().chain([silent]).min()
    }

    /// A message takes longer than an answer may.
    pub(super) fn is_slow(&self, now: Instant) -> bool {
        self.unanswered_since
            .is_some_and(|since| now - since > EXPIRES + GRACE)
    }

    pub(super) fn check(&mut self, link: &Link, now: Instant) -> Result<(), End> {
        if self.connection.is_none() || self.connection != link.connection() {
            return Err(End::ConnectionLost);
        }
        // With an order they show nothing: what proves the pin comes behind the message. The client gives up a
        // connection after three pings, 10 s apart at least, whose answers come behind the message too.
        let bytes = self.client.statistics().in_bytes.load(Ordering::Relaxed);
        if !self.keeps_order && bytes != self.bytes_received.0 {
            self.bytes_received = (bytes, now);
        }
        if self.answered_by().is_some_and(|by| by <= now) {
            return Err("the server was silent for too long, or a message too slow".into());
        }
        Ok(())
    }
}

/// Whether a request ended because the next message does not fit; else why the session ends.
fn request_ended(code: u16, text: Option<&str>) -> Result<bool, End> {
    match (code, text.unwrap_or_default()) {
        (404 | 408, _) | (409, "Batch Completed") => Ok(false),
        (409, TOO_LARGE) => Ok(true),
        (423, _) => Err(End::StandBy),
        (503, _) => Err("jetstream does not answer".into()),
        (code, text) => Err(format!("{code} {text}").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_says_why_it_sends_nothing() {
        for (code, text, is_too_large) in [
            (404, "No Messages", false),
            (408, "Request Timeout", false),
            (409, "Batch Completed", false),
            (409, TOO_LARGE, true),
        ] {
            let ended = request_ended(code, Some(text));
            assert_eq!(ended.ok(), Some(is_too_large), "{code} {text}");
        }
        let pin_lost = request_ended(423, Some("Nats-Pin-Id mismatch"));
        assert!(matches!(pin_lost, Err(End::StandBy)));
        for (code, text, cause) in [
            (409, "Consumer Deleted", "409 Consumer Deleted"),
            (503, "No Responders", "jetstream does not answer"),
        ] {
            let ended = request_ended(code, Some(text));
            assert!(matches!(ended, Err(End::Failed(text)) if text == cause));
        }
    }
}
