//! A session of pull requests with an inbox of its own: one request is open at a time, for as much
//! as the window has room for.

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
use crate::delivery::Window;

/// The server ends a request, which shows that it is there; with requests a process keeps its pin.
const EXPIRES: Duration = Duration::from_millis(1_600);
/// A server may end a request so much later.
const GRACE: Duration = Duration::from_secs(2);
const _: () = assert!(EXPIRES.as_millis() * 3 < PIN_TIMEOUT.as_millis());
const TOO_LARGE: &str = "Message Size Exceeds MaxBytes";

pub(super) struct Session {
    client: Client,
    subscriber: Subscriber,
    inbox: String,
    next_subject: String,
    keeps_order: bool,
    number: u64,
    awaited: usize,
    /// The next message is larger than the window has room for, and comes alone.
    is_too_large: bool,
    requested_at: Instant,
    /// Disconnections until the consumer was found.
    disconnections: Option<u64>,
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
            keeps_order: durable.keeps_order,
            number: 0,
            awaited: 0,
            is_too_large: false,
            requested_at: Instant::now(),
            disconnections: durable.found_after,
        })
    }

    /// Where the window is full it requests nothing, often enough to keep the pin.
    pub(super) fn pull(&mut self, window: &Window, pin: Option<&str>) {
        if self.awaited > 0 {
            return;
        }
        if window.has_room() {
            // One message is always let in, however large: it may be larger than messages may be now.
            let (events, bytes) = match (self.is_too_large, window.room_left()) {
                (true, _) => (1, None),
                (false, (events, bytes)) => (events.max(1), Some(bytes.max(1))),
            };
            self.number += 1;
            if self.request(self.number, events, bytes, pin) {
                self.awaited = events;
                self.is_too_large = false;
            }
        } else if pin.is_some() && self.requested_at.elapsed() > EXPIRES {
            // Nothing fits into one byte, and nobody waits for the answer.
            self.request(0, 1, Some(1), pin);
        }
    }

    /// Never waits; false where the client is busy.
    fn request(
        &mut self,
        number: u64,
        batch: usize,
        max_bytes: Option<usize>,
        pin: Option<&str>,
    ) -> bool {
        let mut payload = json!({ "batch": batch, "expires": EXPIRES.as_nanos() });
        if let Some(max_bytes) = max_bytes {
            payload["max_bytes"] = max_bytes.into();
        }
        if self.keeps_order {
            payload["group"] = GROUP.into();
        }
        if let Some(pin) = pin {
            payload["id"] = pin.into();
        }
        let (to, reply) = (
            self.next_subject.clone(),
            format!("{}.{number}", self.inbox),
        );
        let sending = self
            .client
            .publish_with_reply(to, reply, payload.to_string().into());
        // Tokio's task budget is far smaller than one turn may send.
        let is_sent = matches!(unconstrained(sending).now_or_never(), Some(Ok(())));
        if is_sent {
            self.requested_at = Instant::now();
        }
        is_sent
    }

    /// Nothing after a status that only ends a request. May be dropped.
    pub(super) async fn next(&mut self) -> Result<Option<Delivered>, End> {
        let message = self.subscriber.next().await;
        self.read(message.ok_or("the subscription ended")?)
    }

    pub(super) fn next_now(&mut self) -> Result<Option<Delivered>, End> {
        match self.subscriber.next().now_or_never().flatten() {
            Some(message) => self.read(message),
            None => Ok(None),
        }
    }

    fn read(&mut self, message: Message) -> Result<Option<Delivered>, End> {
        // Some servers deliver a stored message with the status that somebody published: what has a
        // sequence is no status of the server.
        if let Some(reply) = message.reply.clone()
            && let Some(info) = MessageInfo::of(&reply)
        {
            self.awaited = self.awaited.saturating_sub(1);
            return Ok(Some((message, info, reply)));
        }
        let Some(status) = message.status else {
            return Ok(None);
        };
        let is_too_large = request_ended(status.as_u16(), message.description.as_deref())?;
        // Requests that keep the pin do not count.
        if *message.subject == *format!("{}.{}", self.inbox, self.number) {
            self.awaited = 0;
            self.is_too_large = is_too_large;
        }
        Ok(None)
    }

    pub(super) fn check(&self, link: &Link) -> Result<(), End> {
        if Some(link.disconnections()) != self.disconnections {
            return Err(End::ConnectionLost);
        }
        if self.awaited > 0 && self.requested_at.elapsed() > EXPIRES + GRACE {
            return Err("the server was silent for too long".into());
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
