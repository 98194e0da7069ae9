//! A connection that is made again when it is lost, and logs that without flooding the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{
    Client, ClientError, ConnectErrorKind, ConnectOptions, Event, ServerAddr, ServerError,
};
use tokio::sync::Notify;
use tokio::time::sleep;
use tracing::Span;

use crate::logging::Throttle;

/// After three unanswered pings the server counts as gone.
const PING_INTERVAL: Duration = Duration::from_secs(10);
/// For TCP, TLS and the greeting of one server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(2);

const PUBLISH: &str = "permissions violation for publish to \"";
const STREAM_INFO: &str = "permissions violation for publish to \"$js.api.stream.info.";
const SUBSCRIBE: &str = "permissions violation for subscription to \"";

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) client: Client,
    pub(super) state: Arc<ConnectionState>,
}

impl Link {
    pub(super) fn is_up(&self) -> bool {
        self.connection().is_some()
    }

    /// The number of the connection that stands.
    pub(super) fn connection(&self) -> Option<u64> {
        // In this order: the client counts a connection before it says that it stands.
        let stands = self.client.connection_state() == State::Connected;
        stands.then(|| self.client.statistics().connects.load(Ordering::Acquire))
    }

    /// Until the connection of now stands no more.
    pub(super) async fn lost(&self) {
        let connection = self.connection();
        loop {
            let changed = self.state.changed.notified();
            if self.connection() != connection {
                return;
            }
            changed.await;
        }
    }
}

/// What the client reports, and what the server did not permit.
#[derive(Debug)]
pub(super) struct ConnectionState {
    /// Names the route: the client has tasks of its own.
    span: Span,
    throttle: Throttle,
    /// Requests for what a stream is are apart.
    refused_publishes: AtomicU64,
    refuses_stream_info: AtomicBool,
    /// On this connection; the next one subscribes anew.
    refuses_subscription: AtomicBool,
    /// Of each event.
    pub(super) changed: Notify,
}

impl ConnectionState {
    fn new() -> Self {
        Self {
            span: Span::current(),
            throttle: Throttle::default(),
            refused_publishes: AtomicU64::default(),
            refuses_stream_info: AtomicBool::default(),
            refuses_subscription: AtomicBool::default(),
            changed: Notify::default(),
        }
    }

    pub(super) fn refused_publishes(&self) -> u64 {
        self.refused_publishes.load(Ordering::Acquire)
    }

    pub(super) fn refuses_stream_info(&self) -> bool {
        self.refuses_stream_info.load(Ordering::Acquire)
    }

    pub(super) fn refuses_subscription(&self) -> bool {
        self.refuses_subscription.load(Ordering::Acquire)
    }

    fn record(&self, event: &Event) {
        let _span = self.span.enter();
        match event {
            Event::Connected => {
                self.refuses_subscription.store(false, Ordering::Release);
                self.refuses_stream_info.store(false, Ordering::Release);
                tracing::info!("nats connected");
            }
            Event::Disconnected => {
                self.refuses_subscription.store(false, Ordering::Release);
                if let Some(held_back) = self.throttle.lets_through("disconnected") {
                    tracing::warn!(held_back, "nats connection lost, connecting again");
                }
            }
            Event::LameDuckMode => tracing::info!("nats server is about to stop"),
            Event::Draining | Event::Closed => {}
            // The source that reads slowly counts what it lost.
            Event::SlowConsumer(_) => {}
            Event::ServerError(ServerError::AuthorizationViolation) => self.credentials_refused(),
            Event::ServerError(error) => {
                if let ServerError::Other(text) = error {
                    self.refused(&text.to_ascii_lowercase());
                }
                self.warn(&error.to_string());
            }
            Event::ClientError(ClientError::Other(cause))
                if *cause == ConnectErrorKind::AuthorizationViolation.to_string() =>
            {
                self.credentials_refused();
            }
            Event::ClientError(error) => self.warn(&error.to_string()),
        }
        self.changed.notify_waiters();
    }

    fn refused(&self, error: &str) {
        if error.starts_with(STREAM_INFO) {
            self.refuses_stream_info.store(true, Ordering::Release);
        } else if error.starts_with(PUBLISH) {
            self.refused_publishes.fetch_add(1, Ordering::AcqRel);
        } else if error.starts_with(SUBSCRIBE) {
            self.refuses_subscription.store(true, Ordering::Release);
        }
    }

    fn credentials_refused(&self) {
        if let Some(held_back) = self.throttle.lets_through("refused") {
            tracing::error!(
                held_back,
                "nats server refuses the credentials: correct user and secrets of the connection, or the table that its credentials name, and restart"
            );
        }
    }

    /// What stands between quotes names a subject and is left out.
    fn warn(&self, error: &str) {
        let cause = error.split('"').next().unwrap_or_default().trim_end();
        if let Some(held_back) = self.throttle.lets_through(cause) {
            tracing::warn!(cause, held_back, "nats client reports an error");
        }
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
pub(super) async fn connect(addresses: &[ServerAddr], options: ConnectOptions) -> Link {
    let state = Arc::new(ConnectionState::new());
    let records = Arc::clone(&state);
    let options = options.event_callback(move |event| {
        records.record(&event);
        std::future::ready(())
    });
    for attempt in 1.. {
        match options.clone().connect(addresses).await {
            Ok(client) => return Link { client, state },
            Err(error) if error.kind() == ConnectErrorKind::AuthorizationViolation => {
                state.credentials_refused();
            }
            Err(error) => state.warn(&error.to_string()),
        }
        sleep(delay(attempt)).await;
    }
    unreachable!("attempts are without end")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(state: &ConnectionState, error: &str) {
        state.record(&Event::ServerError(ServerError::Other(error.to_owned())));
    }

    #[test]
    fn a_refused_write_is_counted_and_a_refused_read_lasts_as_long_as_its_connection() {
        let state = ConnectionState::new();
        for error in ["Permissions Violation", "Authorization Violation", ""] {
            said(&state, error);
        }
        assert_eq!(state.refused_publishes(), 0);
        said(&state, "Permissions Violation for Publish to \"a.b\"");
        said(&state, "permissions violation for publish to \"a.b\"");
        assert!(!state.refuses_stream_info() && !state.refuses_subscription());
        said(
            &state,
            "Permissions Violation for Publish to \"$JS.API.STREAM.INFO.S\"",
        );
        said(
            &state,
            "Permissions Violation for Subscription to \"q\" using queue \"w\"",
        );
        assert!(state.refuses_stream_info() && state.refuses_subscription());
        state.record(&Event::Disconnected);
        assert!(!state.refuses_subscription());
        assert_eq!(state.refused_publishes(), 2);
    }

    #[test]
    fn no_number_of_refusals_hides_the_next() {
        let state = ConnectionState::new();
        for number in 1..=100 {
            let echo = format!("Permissions Violation for Publish to \"_INBOX.x.{number}\"");
            said(&state, &echo);
            assert_eq!(state.refused_publishes(), number);
        }
        said(&state, "Permissions Violation for Publish to \"a.b\"");
        assert_eq!(state.refused_publishes(), 101);
    }

    #[test]
    fn the_wait_grows_to_a_bound_and_is_never_nothing() {
        for (attempt, least, most) in [
            (0, 50, 100),
            (1, 50, 100),
            (2, 100, 200),
            (4, 400, 800),
            (9, 1000, 2000),
            (usize::MAX, 1000, 2000),
        ] {
            let waited = delay(attempt).as_millis();
            assert!((least..=most).contains(&waited), "{attempt}: {waited}");
        }
    }
}
