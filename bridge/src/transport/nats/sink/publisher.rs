//! One connection: events are published in order, and each gets its ack.
//!
//! Two tasks that never wait for each other: one publishes, one reads acks. Where nothing stores the
//! events, the ack is that the server has them: a message to ourselves, behind each event on the same
//! connection. The client's own flush only says that bytes have left.

use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::client::PublishErrorKind;
use async_nats::connection::State;
use async_nats::{Message, StatusCode, Subject, Subscriber};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use tokio::task::yield_now;
use tokio::time::{Instant, sleep};

use super::Promise;
use super::classify::{NO_STREAM, classify};
use super::header_encoding::{block_len, header_lines, header_map};
use super::pending_publishes::PendingPublishes;
use super::settings::SinkSettings;
use super::stream_check::{Known, StreamCheck};
use crate::outcome::{Outcome, RefusedReason, UntrustedReason};
use crate::transport::Outgoing;
use crate::transport::contract::SinkOpening;
use crate::transport::nats::connection::Cluster;
use crate::transport::nats::link::{Link, STREAM_INFO};

/// How often the connection is looked at while somebody waits for it or for an answer.
const LOOK: Duration = Duration::from_millis(50);

/// Pause before a subscription that could not be made is tried again.
const PAUSE: Duration = Duration::from_secs(1);
/// Shortest time between two connections made for a subscription that was refused.
const RENEWAL: Duration = Duration::from_secs(5);

/// Takes events, and answers each once there is a connection.
pub(super) struct Publisher {
    subject: Subject,
    promise: Promise,
    ack_timeout: Duration,
    accepts_memory: bool,
    /// What is known of the stream; nothing is published before.
    known: Cell<Option<Known>>,
    /// The place in the stream of the event that was stored last.
    newest: Cell<u64>,
    pending: Rc<PendingPublishes>,
}

impl Publisher {
    pub(super) fn new(settings: &SinkSettings, promise: Promise) -> Self {
        let accepts_memory = settings.memory_storage.is_some();
        let needs_no_look = accepts_memory || promise == Promise::HandedOver;
        Self {
            known: Cell::new(needs_no_look.then_some(Ok(usize::MAX))),
            newest: Cell::default(),
            subject: settings.subject.as_str().into(),
            promise,
            ack_timeout: settings.ack_timeout,
            accepts_memory,
            pending: Rc::default(),
        }
    }

    /// Puts an event behind the others; the outcome is there after its answer, or after the time
    /// that one may take.
    pub(super) fn send(&self, event: Rc<Outgoing>) -> impl Future<Output = Outcome> + use<> {
        self.pending.push(event, self.ack_timeout)
    }

    /// Whether the stream is known to refuse the event for its size.
    pub(super) fn is_too_large(&self, event: &Outgoing) -> bool {
        let (Promise::Stored(stream), Some(Ok(most))) = (&self.promise, self.known.get()) else {
            return false;
        };
        let headers = block_len(&header_lines(event, Some(stream)));
        headers + event.body.as_ref().map_or(0, Bytes::len) > most
    }

    /// The stream that was read is gone. Another may have answered the next events already, and may be
    /// one that keeps nothing.
    fn doubt(&self, outcome: &Outcome) {
        if !self.accepts_memory {
            self.known.set(None);
        }
        self.newest.set(0);
        self.pending.doubt(outcome);
    }

    /// Connects, publishes and reads acks, until it is dropped.
    pub(super) async fn run(self: Rc<Self>, cluster: Cluster, opening: SinkOpening) {
        let link = cluster.connect(cluster.options()).await;
        let inbox = link.client.new_inbox();
        let acks = loop {
            match link.client.subscribe(format!("{inbox}.*")).await {
                Ok(acks) => break acks,
                Err(_) => sleep(PAUSE).await,
            }
        };
        let connected = Connected {
            publisher: &self,
            link: &link,
            inbox: &inbox,
            seen: Cell::default(),
            renewed: Cell::default(),
        };
        let report = async {
            if let Promise::Stored(stream) = &self.promise {
                let check = StreamCheck {
                    client: &link.client,
                    stream,
                    written: &self.subject,
                    ack_timeout: self.ack_timeout,
                    accepts_memory: self.accepts_memory,
                    opening: &opening,
                    known: &self.known,
                };
                check.watch(async || self.pending.was_doubted().await).await;
            }
        };
        tokio::join!(connected.publish_all(), connected.read_acks(acks), report);
    }
}

/// A publisher that has its connection.
struct Connected<'a> {
    publisher: &'a Publisher,
    link: &'a Link,
    /// Where acks come in, each on a subject that ends with the number of its event.
    inbox: &'a str,
    seen: Cell<Seen>,
    /// When a connection was last given up that no answer can come in on.
    renewed: Cell<Option<Instant>>,
}

/// What the connection has told so far.
#[derive(Clone, Copy, Default)]
struct Seen {
    connection: u64,
    refusals: u64,
}

impl Connected<'_> {
    async fn publish_all(&self) {
        let (pending, link) = (&self.publisher.pending, self.link);
        loop {
            let is_known = self.publisher.known.get().is_some() || self.obstacle().is_some();
            let is_open = is_known && link.client.connection_state() == State::Connected;
            if !pending.has_no_queue() && !is_open {
                // What the client took now, it would send at some later time.
                sleep(LOOK).await;
                continue;
            }
            match pending.take(self.connection()) {
                Some((number, event)) => self.publish(number, &event).await,
                None => pending.may_take().await,
            }
        }
    }

    async fn publish(&self, number: u64, event: &Outgoing) {
        let Publisher {
            subject,
            promise,
            pending,
            ..
        } = self.publisher;
        if let Some(obstacle) = self.obstacle() {
            // It would be stored, and stored again with each attempt.
            pending.answer(number, Outcome::Untrusted(obstacle));
            if obstacle == UntrustedReason::NotAuthorised {
                self.renew().await;
            }
            return;
        }
        let (client, subject) = (&self.link.client, subject.clone());
        let body = event.body.clone().unwrap_or_default();
        let reply = format!("{}.{number}", self.inbox);
        let published = match promise {
            Promise::Stored(stream) => {
                let headers = header_map(&header_lines(event, Some(stream)));
                client
                    .publish_with_reply_and_headers(subject, reply, headers, body)
                    .await
            }
            Promise::HandedOver => {
                let headers = header_map(&header_lines(event, None));
                let published = client.publish_with_headers(subject, headers, body).await;
                match published {
                    Ok(()) => client.publish(reply, Bytes::new()).await,
                    error => error,
                }
            }
        };
        match published.map_err(|error| error.kind()) {
            Ok(()) => {}
            Err(PublishErrorKind::MaxPayloadExceeded) => {
                pending.answer(number, Outcome::Refused(RefusedReason::TooLarge));
            }
            // The settings have proven the subject.
            Err(PublishErrorKind::InvalidSubject | PublishErrorKind::Send) => {
                pending.answer(number, Outcome::Unreachable("client-ended"));
            }
        }
    }

    async fn read_acks(&self, mut acks: Subscriber) {
        let pending = &self.publisher.pending;
        loop {
            let is_quiet = pending.is_quiet();
            tokio::select! {
                biased;
                Some(ack) = acks.next() => {
                    self.answer(&ack).await;
                    // Whatever else is there costs no further wake-up.
                    while let Some(Some(ack)) = acks.next().now_or_never() {
                        self.answer(&ack).await;
                    }
                }
                () = pending.was_taken(), if is_quiet => {}
                () = sleep(LOOK), if !is_quiet => self.look(),
            }
        }
    }

    async fn answer(&self, ack: &Message) {
        let number = ack
            .subject
            .strip_prefix(self.inbox)
            .and_then(|rest| rest.strip_prefix('.'));
        let Some(number) = number.and_then(|number| number.parse().ok()) else {
            return;
        };
        let outcome = match (&self.publisher.promise, ack.status) {
            (Promise::HandedOver, _) => {
                // What the server refused it told before, by way of another task.
                yield_now().await;
                yield_now().await;
                self.look();
                Outcome::Delivered
            }
            (_, Some(StatusCode::NO_RESPONDERS)) => Outcome::Unreachable(NO_STREAM),
            (Promise::Stored(stream), _) => classify(&ack.payload, stream, &self.publisher.newest),
        };
        if outcome == Outcome::Unreachable(NO_STREAM) {
            self.publisher.doubt(&outcome);
        }
        self.publisher.pending.answer(number, outcome);
    }

    /// Gives up what a lost connection leaves open, and what the server refused to let us write.
    fn look(&self) {
        let pending = &self.publisher.pending;
        let seen = Seen {
            connection: self.connection(),
            refusals: self.refusals(),
        };
        let before = self.seen.replace(seen);
        let is_refused = seen.refusals != before.refusals;
        let refused = is_refused.then_some(UntrustedReason::NotAuthorised);
        if let Some(reason) = refused.or_else(|| self.obstacle()) {
            pending.answer_all(&Outcome::Untrusted(reason));
        }
        if seen.connection != before.connection {
            pending.answer_lost(seen.connection, &Outcome::Unreachable("disconnected"));
        }
    }

    /// A number that changes with the connection. The client counts a connection before it writes to
    /// it, so that no event of an earlier one is ever taken for one of this; that the earlier one was
    /// lost is told sooner, but by way of another task.
    fn connection(&self) -> u64 {
        let statistics = self.link.client.statistics();
        statistics.connects.load(Ordering::Acquire) + self.link.signals.disconnections()
    }

    /// How often the server did not let us write, be it events or questions.
    fn refusals(&self) -> u64 {
        let subject = self.publisher.subject.as_str();
        let refusals = self.link.signals.refusals();
        refusals.writes(|refused| refused == subject || refused.starts_with(self.inbox))
    }

    /// Why no answer can come, where that is known.
    fn obstacle(&self) -> Option<UntrustedReason> {
        let refusals = self.link.signals.refusals();
        let may_not_ask = || refusals.writes(|refused| refused.starts_with(STREAM_INFO)) > 0;
        match self.publisher.known.get() {
            _ if refusals.has_read(|refused| refused.starts_with(self.inbox)) => {
                Some(UntrustedReason::NotAuthorised)
            }
            None => may_not_ask().then_some(UntrustedReason::NotAuthorised),
            Some(known) => known.err().map(UntrustedReason::Other),
        }
    }

    /// Subscribes anew where that was refused, which only another connection does: somebody may have
    /// corrected the permissions.
    async fn renew(&self) {
        let is_due = |renewed: Instant| renewed.elapsed() >= RENEWAL;
        if self.renewed.get().is_none_or(is_due) {
            self.renewed.set(Some(Instant::now()));
            // It fails when the client has ended, which the next event tells.
            drop(self.link.client.force_reconnect().await);
        }
    }
}
