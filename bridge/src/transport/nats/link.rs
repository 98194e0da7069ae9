//! A connection that is made again when it is lost, and logs that without flooding the log.

use std::panic::resume_unwind;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::jetstream::{self, Context};
use async_nats::{
    Client, ClientError, ConnectErrorKind, ConnectOptions, Event, ServerAddr, ServerError,
};
use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::Span;

use crate::logging::Throttle;
use crate::outcome::Outcome;
use crate::shared::lock;
use crate::tls;

/// After three unanswered pings the server counts as gone.
const PING_INTERVAL: Duration = Duration::from_secs(10);
/// Before another client takes the place of one that has ended.
const RESTART_PAUSE: Duration = Duration::from_secs(1);
/// For TCP, TLS and the greeting of one server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(2);

const PUBLISH: &str = "permissions violation for publish to \"";
const STREAM_INFO: &str = "permissions violation for publish to \"$js.api.stream.info.";
const SUBSCRIBE: &str = "permissions violation for subscription to \"";
/// What the server itself listens on.
const JETSTREAM: &str = "$JS.";

/// Its client connects again as long as somebody has a clone of it.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) client: Client,
    pub(super) state: Arc<ConnectionState>,
}

impl Link {
    pub(super) fn jetstream(&self) -> Context {
        jetstream::new(self.client.clone())
    }

    pub(super) fn is_up(&self) -> bool {
        self.client.connection_state() == State::Connected && !self.has_ended()
    }

    /// The number of the connection that stands.
    pub(super) fn connection(&self) -> Option<u64> {
        // In this order: the client counts a connection before it says that it stands.
        let stands = self.is_up();
        stands.then(|| self.client.statistics().connects.load(Ordering::Acquire))
    }

    /// The client is of no more use: a line break in a header value makes it panic.
    pub(super) fn has_ended(&self) -> bool {
        self.state.ended.is_cancelled()
    }

    pub(super) async fn ended(&self) {
        self.state.ended.cancelled().await;
    }

    /// Until the connection of now stands no more.
    pub(super) async fn lost(&self) {
        let connection = self.connection();
        loop {
            let changed = self.state.changed.notified();
            if self.connection() != connection {
                return;
            }
            tokio::select! {
                () = changed => {}
                () = self.ended() => return,
            }
        }
    }
}

/// Why there is no connection, where TLS is the cause.
pub(super) type TlsFailure = Arc<Mutex<Option<Outcome>>>;

/// What the client reports.
#[derive(Debug)]
pub(super) struct ConnectionState {
    /// Names the route: the client has tasks of its own.
    span: Span,
    throttle: Throttle,
    tls_failure: TlsFailure,
    refused: Mutex<Refused>,
    /// Of each event, and of what is known of the stream of a sink.
    pub(super) changed: Notify,
    ended: CancellationToken,
}

/// What the server did not permit; the next connection asks and subscribes anew.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Refused {
    /// How many there were, but for requests for what a stream is.
    pub(super) publishes: u64,
    pub(super) stream_info: bool,
    pub(super) subscription: bool,
}

impl ConnectionState {
    fn new(tls_failure: TlsFailure) -> Self {
        Self {
            span: Span::current(),
            throttle: Throttle::default(),
            tls_failure,
            refused: Mutex::default(),
            changed: Notify::default(),
            ended: CancellationToken::new(),
        }
    }

    pub(super) fn refused(&self) -> Refused {
        *lock(&self.refused)
    }

    fn record(&self, event: &Event) {
        let _span = self.span.enter();
        if matches!(event, Event::Connected | Event::Disconnected) {
            let mut refused = lock(&self.refused);
            (refused.stream_info, refused.subscription) = (false, false);
            *lock(&self.tls_failure) = None;
        }
        match event {
            Event::Connected => tracing::info!("nats connected"),
            Event::Disconnected => {
                if let Some(held_back) = self.throttle.lets_through("disconnected") {
                    tracing::warn!(held_back, "nats connection lost, connecting again");
                }
            }
            Event::LameDuckMode => tracing::info!("nats server is about to stop"),
            // The source that reads slowly counts what it lost.
            Event::Draining | Event::Closed | Event::SlowConsumer(_) => {}
            Event::ServerError(ServerError::AuthorizationViolation) => self.credentials_refused(),
            Event::ServerError(error) => {
                if let ServerError::Other(text) = error {
                    self.refuse(&text.to_ascii_lowercase());
                }
                self.warn(&error.to_string());
            }
            // It tells the kind alone; what came of a server is told before the next attempt, but for DNS.
            Event::ClientError(ClientError::Other(kind))
                if *kind != ConnectErrorKind::Dns.to_string() => {}
            Event::ClientError(error) => self.warn(&error.to_string()),
        }
        self.changed.notify_waiters();
    }

    /// What came of servers that were tried.
    fn failed(&self, errors: impl IntoIterator<Item = String>) {
        let _span = self.span.enter();
        let errors = Vec::from_iter(errors);
        *lock(&self.tls_failure) = errors.iter().find_map(|error| tls::failure(error));
        for error in errors {
            match error.starts_with(&ConnectErrorKind::AuthorizationViolation.to_string()) {
                true => self.credentials_refused(),
                false => self.warn(&error),
            }
        }
    }

    fn refuse(&self, error: &str) {
        let mut refused = lock(&self.refused);
        if error.starts_with(STREAM_INFO) {
            refused.stream_info = true;
        } else if error.starts_with(PUBLISH) {
            refused.publishes += 1;
        } else if error.starts_with(SUBSCRIBE) {
            refused.subscription = true;
        }
    }

    fn credentials_refused(&self) {
        if let Some(held_back) = self.throttle.lets_through("refused") {
            tracing::error!(
                held_back,
                "nats server refuses the credentials: correct user and secrets of the connection, or the table that its credentials name; a file is taken over by itself, settings with a reload"
            );
        }
    }

    fn warn(&self, error: &str) {
        let cause = &*without_subject(error);
        let allow = "let the user publish to it, see docs/operations.md";
        // Of an expired certificate it holds the time, which is never the same.
        let (kind, remedy) = match &tls::failure(error) {
            Some(failure) => (failure.word(), Some(failure.remedy())),
            None => (cause, cause.contains(JETSTREAM).then_some(allow)),
        };
        if let Some(held_back) = self.throttle.lets_through(kind) {
            tracing::warn!(cause, held_back, remedy, "nats client reports an error");
        }
    }
}

/// What stands between quotes names a subject and is left out, but for what is asked of JetStream.
fn without_subject(error: &str) -> String {
    let mut parts = error.split('"');
    let cause = parts.next().unwrap_or_default().trim_end();
    match parts.next().filter(|quoted| quoted.starts_with(JETSTREAM)) {
        // With more tokens each acknowledgement would be another cause.
        Some(asked) => {
            let tokens: Vec<_> = asked.split('.').take(4).collect();
            format!("{cause} {}", tokens.join("."))
        }
        None => cause.to_owned(),
    }
}

pub(super) fn options(options: ConnectOptions, inbox_prefix: &str) -> ConnectOptions {
    options
        .name("cenl-bridge")
        .custom_inbox_prefix(inbox_prefix)
        .connection_timeout(CONNECT_TIMEOUT)
        .request_timeout(Some(ANSWER_TIMEOUT))
        .ping_interval(PING_INTERVAL)
        .reconnect_delay_callback(delay)
}

/// Doubles with each attempt, at random between half and all of it, so that clients of one server
/// do not come back together.
fn delay(attempt: usize) -> Duration {
    let doublings = attempt.saturating_sub(1).min(6);
    let longest = (FIRST_DELAY * (1_u32 << doublings)).min(LONGEST_DELAY);
    longest.mul_f64(0.5 + fastrand::f64() / 2.0)
}

/// Connects, however long that takes. May be dropped at any moment.
pub(super) async fn connect(
    addresses: &[ServerAddr],
    options: ConnectOptions,
    tls_failure: TlsFailure,
) -> Link {
    let state = Arc::new(ConnectionState::new(tls_failure));
    // Links alone keep it.
    let (tried, told) = (Arc::downgrade(&state), Arc::downgrade(&state));
    // Before each attempt; it chooses none of the servers.
    let options = options.reconnect_to_server_callback(move |servers, _| {
        let Some(state) = tried.upgrade() else {
            // Without a connection the client does not see that nobody has it any more, and would try for ever.
            // Nothing else ends its task; this prints nothing.
            resume_unwind(Box::new("no link is left"));
        };
        state.failed(servers.into_iter().filter_map(|it| it.last_error));
        std::future::ready(None)
    });
    let ends = state.ended.clone().drop_guard();
    let options = options.event_callback(move |event| {
        // The client drops it when it ends.
        let _ = &ends;
        if let Some(state) = told.upgrade() {
            state.record(&event);
        }
        std::future::ready(())
    });
    for attempt in 1.. {
        match options.clone().connect(addresses).await {
            Ok(client) => return Link { client, state },
            Err(error) => state.failed([error.to_string()]),
        }
        sleep(delay(attempt)).await;
    }
    unreachable!("attempts are without end")
}

/// What is to be done where a client has ended, before another one takes its place.
pub(super) async fn pause_after_end(throttle: &Throttle, consequence: &str) {
    if let Some(held_back) = throttle.lets_through("ended") {
        let remedy = "see who sends headers with a carriage return in a value there, on which the client panics";
        tracing::error!(
            consequence,
            held_back,
            remedy,
            "the client ended, another one goes on"
        );
    }
    sleep(RESTART_PAUSE).await;
}

#[cfg(test)]
mod tests;
