//! Publishes events, each with a reply subject of its own, on which its acknowledgement comes in.
//!
//! Where no stream stores the events, the acknowledgement is a message to ourselves, sent behind
//! each event: the client's own flush only says that bytes have left.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use async_nats::client::PublishErrorKind;
use async_nats::{Message, StatusCode, Subject, Subscriber};
use bytes::Bytes;
use futures_util::{FutureExt, StreamExt};
use tokio::sync::Mutex;
use tokio::task::yield_now;
use tokio::time::{Instant, sleep, timeout};

use super::classify::{NO_STREAM, classify};
use super::header_encoding::{block_len, header_lines, header_map};
use super::publish_acks::PublishAcks;
use super::settings::NatsSinkSettings;
use super::stream::{Stream, StreamCheck};
use crate::logging::Throttle;
use crate::outcome::{Outcome, RefusedReason, UntrustedReason};
use crate::shared::lock;
use crate::transport::Outgoing;
use crate::transport::contract::SinkOpening;
use crate::transport::nats::connection::NatsCluster;
use crate::transport::nats::link::{Link, TlsFailure, pause_after_end};

const CHECK_INTERVAL: Duration = Duration::from_millis(50);
const RECONNECT_PAUSE: Duration = Duration::from_secs(5);

pub(super) struct Publisher {
    subject: Subject,
    stream: Option<Stream>,
    ack_timeout: Duration,
    connected: RefCell<Option<Rc<Connected>>>,
    /// Events go out in the order in which their exchanges began.
    turn: Mutex<()>,
    pending: PublishAcks,
    /// The connection, and refused publishes, when last looked at.
    last_check: Cell<(Option<u64>, u64)>,
    reconnected_at: Cell<Option<Instant>>,
    tls_failure: TlsFailure,
}

pub(super) struct Connected {
    link: Link,
    /// Acknowledgements come in below it, on the number of their event.
    inbox: String,
}

impl Publisher {
    pub(super) fn new(settings: &NatsSinkSettings, opening: SinkOpening) -> Self {
        Self {
            subject: settings.subject.as_str().into(),
            stream: (settings.stream.clone()).map(|name| Stream::new(name, settings, opening)),
            ack_timeout: settings.ack_timeout,
            connected: RefCell::default(),
            turn: Mutex::default(),
            pending: PublishAcks::default(),
            last_check: Cell::default(),
            reconnected_at: Cell::default(),
            tls_failure: TlsFailure::default(),
        }
    }

    /// The wait for a connection counts, too.
    pub(super) async fn send(&self, event: &Outgoing) -> Outcome {
        let exchange = timeout(self.ack_timeout, self.exchange(event));
        let exchange = exchange.await.ok();
        let in_vain = || lock(&self.tls_failure).clone();
        exchange
            .or_else(in_vain)
            .unwrap_or(Outcome::Unreachable("timeout"))
    }

    async fn exchange(&self, event: &Outgoing) -> Outcome {
        let turn = self.turn.lock().await;
        let _room = self.pending.room(event.byte_len()).await;
        let connected = match self.open().await {
            Ok(connected) => connected,
            Err(reason) => return Outcome::Untrusted(reason),
        };
        let mut ack = self.pending.expect();
        if let Err(outcome) = self.publish(&connected, ack.number, event).await {
            self.pending.answer(ack.number, outcome);
        }
        drop(turn);
        ack.outcome().await
    }

    async fn open(&self) -> Result<Rc<Connected>, UntrustedReason> {
        loop {
            if let Some(connected) = self.connected() {
                match self.check_connection(&connected) {
                    // It would be stored, and stored again with each attempt.
                    Some(obstacle) => {
                        if obstacle == UntrustedReason::NotAuthorised {
                            self.reconnect(&connected).await;
                        }
                        return Err(obstacle);
                    }
                    None if self.checked().is_some() => return Ok(connected),
                    None => {}
                }
            }
            // What the client took now, it would send at some later time.
            sleep(CHECK_INTERVAL).await;
        }
    }

    async fn publish(
        &self,
        connected: &Connected,
        number: u64,
        event: &Outgoing,
    ) -> Result<(), Outcome> {
        let (client, subject) = (&connected.link.client, self.subject.clone());
        let body = event.body.clone().unwrap_or_default();
        let reply = format!("{}.{number}", connected.inbox);
        let headers = header_map(&self.header_lines(event));
        let published = match &self.stream {
            Some(_) => {
                let published =
                    client.publish_with_reply_and_headers(subject, reply, headers, body);
                published.await
            }
            None => match client.publish_with_headers(subject, headers, body).await {
                Ok(()) => client.publish(reply, Bytes::new()).await,
                error => error,
            },
        };
        published.map_err(|error| match error.kind() {
            PublishErrorKind::MaxPayloadExceeded => Outcome::Refused(RefusedReason::TooLarge),
            // The settings have proven the subject.
            PublishErrorKind::InvalidSubject | PublishErrorKind::Send => {
                Outcome::Unreachable("client-ended")
            }
        })
    }

    fn header_lines(&self, event: &Outgoing) -> String {
        header_lines(event, self.stream.as_ref().map(|stream| &*stream.name))
    }

    pub(super) fn connected(&self) -> Option<Rc<Connected>> {
        let connected = self.connected.borrow().clone();
        connected.filter(|it| it.link.is_up())
    }

    pub(super) fn is_too_large(&self, event: &Outgoing) -> bool {
        let checked = self.stream.as_ref().and_then(|stream| stream.checked.get());
        let Some(Ok(most)) = checked else {
            return false;
        };
        let body = event.body.as_ref().map_or(0, Bytes::len);
        block_len(&self.header_lines(event)) + body > most
    }

    fn checked(&self) -> Option<StreamCheck> {
        let checked = self.stream.as_ref().map(|stream| stream.checked.get());
        checked.unwrap_or(Some(Ok(usize::MAX)))
    }

    /// With another client where one ends: a line break in a header of what comes to the inbox makes it panic.
    pub(super) async fn run(self: Rc<Self>, cluster: NatsCluster) {
        let throttle = Throttle::default();
        loop {
            let link = cluster.connect(&self.tls_failure).await;
            let inbox = link.client.new_inbox();
            // Only an ended client takes none.
            if let Ok(acks) = link.client.subscribe(format!("{inbox}.*")).await {
                let connected = Rc::new(Connected { link, inbox });
                self.connected.replace(Some(Rc::clone(&connected)));
                let watch = async {
                    if let Some(stream) = &self.stream {
                        stream.watch(&connected.link, &self.pending.recheck).await;
                    }
                };
                let work = async { tokio::join!(self.read_acks(&connected, acks), watch) };
                tokio::select! {
                    () = connected.link.ended() => {}
                    _ = work => {}
                }
                self.check_connection(&connected);
            }
            pause_after_end(&throttle, "what was not acknowledged is sent again").await;
        }
    }

    async fn read_acks(&self, connected: &Connected, mut acks: Subscriber) {
        loop {
            let changed = connected.link.state.changed.notified();
            self.check_connection(connected);
            tokio::select! {
                biased;
                Some(ack) = acks.next() => {
                    self.answer(connected, &ack).await;
                    // Whatever else is there costs no further wake-up.
                    while let Some(Some(ack)) = acks.next().now_or_never() {
                        self.answer(connected, &ack).await;
                    }
                }
                () = changed => {}
            }
        }
    }

    async fn answer(&self, connected: &Connected, ack: &Message) {
        let number = ack.subject.strip_prefix(&connected.inbox);
        let number = number.and_then(|rest| rest.strip_prefix('.'));
        let Some(number) = number.and_then(|number| number.parse().ok()) else {
            return;
        };
        let outcome = match (&self.stream, ack.status) {
            (None, _) => {
                // Another task records what the server refused before this message.
                yield_now().await;
                yield_now().await;
                self.check_connection(connected);
                Outcome::Delivered
            }
            (_, Some(StatusCode::NO_RESPONDERS)) => Outcome::Unreachable(NO_STREAM),
            (Some(stream), _) => classify(&ack.payload, &stream.name, &stream.last_sequence),
        };
        if let (Some(stream), Outcome::Unreachable(NO_STREAM)) = (&self.stream, &outcome) {
            // Another one may have answered the next events already, and may keep nothing.
            stream.reset();
            self.pending.recheck.notify_one();
            self.pending.answer_all(&outcome);
        }
        self.pending.answer(number, outcome);
    }

    /// Answers what a lost connection leaves open and what the server refused; says why no
    /// acknowledgement can come, where that is known.
    fn check_connection(&self, connected: &Connected) -> Option<UntrustedReason> {
        let (link, refused) = (&connected.link, connected.link.state.refused());
        let obstacle = match self.checked() {
            _ if refused.subscription => Some(UntrustedReason::NotAuthorised),
            None => (refused.stream_info).then_some(UntrustedReason::NotAuthorised),
            Some(checked) => checked.err().map(UntrustedReason::Other),
        };
        let now = (link.connection(), refused.publishes);
        let before = self.last_check.replace(now);
        let reason = (now.1 != before.1).then_some(UntrustedReason::NotAuthorised);
        if let Some(reason) = reason.or(obstacle) {
            self.pending.answer_all(&Outcome::Untrusted(reason));
        }
        if now.0.is_none() || now.0 != before.0 {
            self.pending
                .answer_all(&Outcome::Unreachable("disconnected"));
        }
        obstacle
    }

    /// Only another connection subscribes again where that was refused; somebody may have corrected
    /// the permissions.
    async fn reconnect(&self, connected: &Connected) {
        let is_due = |reconnected_at: Instant| reconnected_at.elapsed() >= RECONNECT_PAUSE;
        if self.reconnected_at.get().is_none_or(is_due) {
            self.reconnected_at.set(Some(Instant::now()));
            // It fails when the client has ended, which the next event shows.
            drop(connected.link.client.force_reconnect().await);
        }
    }
}
