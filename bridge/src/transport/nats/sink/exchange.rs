//! One connection: events are published in order, and each hears its answer.
//!
//! Two tasks that never wait for each other: one publishes, one hears. Where nothing stores the
//! events, the answer is that the server has them: a message to ourselves comes back behind
//! everything that went out before it on the same connection. The client's own flush only says that
//! bytes have left.

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
use super::inbox::Inbox;
use super::judgement::{NO_STREAM, judge};
use super::settings::SinkSettings;
use super::spelling::Spelling;
use super::stream::{Known, Look};
use super::waiting::Waiting;
use crate::outcome::{Outcome, TOO_LARGE};
use crate::transport::Outgoing;
use crate::transport::contract::SinkOpening;
use crate::transport::nats::connection::Cluster;
use crate::transport::nats::link::{Link, connect};

/// How often the connection is looked at while somebody waits for it or for an answer.
const LOOK: Duration = Duration::from_millis(50);

/// Shortest time between two connections made for a subscription that was refused.
const RENEWAL: Duration = Duration::from_secs(5);
/// Where a stream is asked what it is.
const QUESTIONS: &str = "$JS.API.STREAM.INFO.";
/// The server does not let us write, ask, or hear its answers.
const NOT_AUTHORISED: &str = "not-authorised";

/// Takes events, and answers each once there is a connection.
pub(super) struct Exchange {
    subject: Subject,
    promise: Promise,
    ack_timeout: Duration,
    accepts_memory: bool,
    /// What is known of the stream; nothing is published before.
    known: Cell<Option<Known>>,
    /// The place in the stream of the event that was stored last.
    newest: Cell<u64>,
    waiting: Rc<Waiting>,
    spelling: Spelling,
}

impl Exchange {
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
            waiting: Rc::default(),
            spelling: Spelling::default(),
        }
    }

    /// Puts an event behind the others; the outcome is there after its answer, or after the time
    /// that one may take.
    pub(super) fn send(&self, event: Rc<Outgoing>) -> impl Future<Output = Outcome> + use<> {
        self.waiting.push(event, self.ack_timeout)
    }

    /// Whether the stream is known to refuse the event for its size.
    pub(super) fn is_too_large(&self, event: &Outgoing) -> bool {
        let (Promise::Stored(stream), Some(Ok(most))) = (&self.promise, self.known.get()) else {
            return false;
        };
        let headers = self.spelling.headers(event, Some(stream));
        let lines = headers.iter().flat_map(|(name, values)| {
            let name = AsRef::<str>::as_ref(name).len();
            values
                .iter()
                .map(move |value| name + value.as_str().len() + ": \r\n".len())
        });
        let headers = "NATS/1.0\r\n\r\n".len() + lines.sum::<usize>();
        headers + event.body.as_ref().map_or(0, Bytes::len) > most
    }

    /// The stream that was read is gone. Another may have answered the next events already, and may be
    /// one that keeps nothing.
    fn doubt(&self, outcome: &Outcome) {
        if !self.accepts_memory {
            self.known.set(None);
        }
        self.newest.set(0);
        self.waiting.give_up(outcome);
    }

    /// Connects, publishes and hears, until it is dropped.
    pub(super) async fn run(self: Rc<Self>, cluster: Cluster, opening: SinkOpening) {
        let link = connect(&cluster, cluster.options()).await;
        let (inbox, answers) = Inbox::open(&link.client).await;
        let line = Line {
            exchange: &self,
            link: &link,
            inbox: &inbox,
            seen: Cell::default(),
            question: Cell::new(None),
            renewed: Cell::default(),
        };
        let report = async {
            if let Promise::Stored(stream) = &self.promise {
                let look = Look {
                    client: &link.client,
                    stream,
                    written: &self.subject,
                    ack_timeout: self.ack_timeout,
                    accepts_memory: self.accepts_memory,
                    opening: &opening,
                    known: &self.known,
                };
                look.watch(async || self.waiting.was_doubted().await).await;
            }
        };
        tokio::join!(line.publish_all(), line.hear_all(answers), report);
    }
}

/// An exchange that has its connection.
struct Line<'a> {
    exchange: &'a Exchange,
    link: &'a Link,
    inbox: &'a Inbox,
    seen: Cell<Seen>,
    /// The question under way whether the server has everything up to a number.
    question: Cell<Option<(u64, Instant)>>,
    /// When a connection was last given up that no answer can come in on.
    renewed: Cell<Option<Instant>>,
}

/// What the connection has told so far.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Seen {
    connection: u64,
    refusals: u64,
    obstacle: Option<&'static str>,
}

impl Line<'_> {
    async fn publish_all(&self) {
        let (waiting, link) = (&self.exchange.waiting, self.link);
        loop {
            let is_known = self.exchange.known.get().is_some() || self.obstacle().is_some();
            let is_open = is_known && link.client.connection_state() == State::Connected;
            if !waiting.has_no_queue() && !is_open {
                // What the client took now, it would send at some later time.
                sleep(LOOK).await;
                continue;
            }
            match waiting.take(self.connection()) {
                Some((number, event)) => self.publish(number, &event).await,
                None => waiting.may_take().await,
            }
        }
    }

    async fn publish(&self, number: u64, event: &Outgoing) {
        let Exchange {
            subject,
            promise,
            waiting,
            spelling,
            ..
        } = self.exchange;
        if let Some(obstacle) = self.obstacle() {
            // It would be stored, and stored again with each attempt.
            waiting.answer(number, Outcome::Untrusted(obstacle));
            if obstacle == NOT_AUTHORISED {
                self.renew().await;
            }
            return;
        }
        let (client, subject) = (&self.link.client, subject.clone());
        let body = event.body.clone().unwrap_or_default();
        let published = match promise {
            Promise::Stored(stream) => {
                let headers = spelling.headers(event, Some(stream));
                let reply = self.inbox.reply_to(number);
                client
                    .publish_with_reply_and_headers(subject, reply, headers, body)
                    .await
            }
            Promise::HandedOver => {
                let headers = spelling.headers(event, None);
                client.publish_with_headers(subject, headers, body).await
            }
        };
        match published.map_err(|error| error.kind()) {
            Ok(()) if *promise == Promise::HandedOver => self.ask().await,
            Ok(()) => {}
            Err(PublishErrorKind::MaxPayloadExceeded) => {
                waiting.answer(number, Outcome::Refused(TOO_LARGE));
            }
            // The settings have proven the subject.
            Err(PublishErrorKind::InvalidSubject | PublishErrorKind::Send) => {
                waiting.answer(number, Outcome::Unreachable("client-ended"));
            }
        }
    }

    /// Asks whether the server has what was published, unless that question is under way.
    async fn ask(&self) {
        let newest = self.exchange.waiting.newest_unanswered();
        let (None, Some(newest)) = (self.question.get(), newest) else {
            return;
        };
        self.question.set(Some((newest, Instant::now())));
        let question = self.inbox.reply_to(newest);
        if self
            .link
            .client
            .publish(question, Bytes::new())
            .await
            .is_err()
        {
            self.question.set(None);
        }
    }

    async fn hear_all(&self, mut answers: Subscriber) {
        let waiting = &self.exchange.waiting;
        loop {
            let is_quiet = waiting.newest_unanswered().is_none();
            tokio::select! {
                biased;
                Some(answer) = answers.next() => {
                    self.hear(&answer).await;
                    // Whatever else is there costs no further wake-up.
                    while let Some(Some(answer)) = answers.next().now_or_never() {
                        self.hear(&answer).await;
                    }
                }
                () = waiting.was_taken(), if is_quiet => {}
                () = sleep(LOOK), if !is_quiet => {
                    self.look();
                    if self.exchange.promise == Promise::HandedOver {
                        self.ask().await;
                    }
                }
            }
        }
    }

    async fn hear(&self, answer: &Message) {
        let Some(number) = self.inbox.number(answer) else {
            return;
        };
        let waiting = &self.exchange.waiting;
        let Promise::Stored(stream) = &self.exchange.promise else {
            // What the server refused it told before, by way of another task.
            yield_now().await;
            yield_now().await;
            self.look();
            waiting.answer_up_to(number, &Outcome::Delivered);
            if self
                .question
                .get()
                .is_some_and(|(asked, _)| asked <= number)
            {
                self.question.set(None);
            }
            return self.ask().await;
        };
        let outcome = match answer.status {
            Some(StatusCode::NO_RESPONDERS) => Outcome::Unreachable(NO_STREAM),
            _ => judge(&answer.payload, stream, &self.exchange.newest),
        };
        if outcome == Outcome::Unreachable(NO_STREAM) {
            self.exchange.doubt(&outcome);
        }
        waiting.answer(number, outcome);
    }

    /// Gives up what a lost connection leaves open, and what the server refused to let us write.
    fn look(&self) {
        let waiting = &self.exchange.waiting;
        let seen = Seen {
            connection: self.connection(),
            refusals: self.refusals(),
            obstacle: self.obstacle(),
        };
        let before = self.seen.replace(seen);
        let is_refused = seen.refusals != before.refusals;
        if let Some(reason) = is_refused.then_some(NOT_AUTHORISED).or(seen.obstacle) {
            waiting.answer_up_to(u64::MAX - 1, &Outcome::Untrusted(reason));
        }
        if seen.connection != before.connection {
            let lost = Outcome::Unreachable("disconnected");
            waiting.answer_lost(seen.connection, &lost);
        }
        let is_late = |(_, asked): (u64, Instant)| asked.elapsed() > self.exchange.ack_timeout;
        if seen != before || self.question.get().is_some_and(is_late) {
            // The question was lost too.
            self.question.set(None);
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
        let subject = self.exchange.subject.as_str();
        let refusals = self.link.signals.refusals();
        refusals.writes(|refused| refused == subject || self.inbox.holds(refused))
    }

    /// Why no answer can come, where that is known.
    fn obstacle(&self) -> Option<&'static str> {
        let refusals = self.link.signals.refusals();
        let may_not_ask = || refusals.writes(|refused| refused.starts_with(QUESTIONS)) > 0;
        match self.exchange.known.get() {
            _ if refusals.has_read(|refused| self.inbox.holds(refused)) => Some(NOT_AUTHORISED),
            None => may_not_ask().then_some(NOT_AUTHORISED),
            Some(known) => known.err(),
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
