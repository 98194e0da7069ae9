//! A connection that is made again when it is lost, and logs that without flooding the log.

mod permission_violations;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{
    Client, ClientError, ConnectErrorKind, ConnectOptions, Event, ServerAddr, ServerError,
};
use tokio::time::sleep;

use crate::logging::Throttle;
use permission_violations::PermissionViolations;

/// After three unanswered pings the server counts as gone.
const PING_INTERVAL: Duration = Duration::from_secs(10);
/// For TCP, TLS and the greeting of one server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(2);

#[derive(Clone, Debug)]
pub(super) struct Link {
    pub(super) client: Client,
    pub(super) log: Arc<ConnectionLog>,
}

impl Link {
    pub(super) fn is_up(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    pub(super) fn disconnections(&self) -> u64 {
        self.log.disconnections.load(Ordering::Acquire)
    }
}

#[derive(Debug, Default)]
pub(super) struct ConnectionLog {
    throttle: Throttle,
    disconnections: AtomicU64,
    violations: Mutex<PermissionViolations>,
}

impl ConnectionLog {
    pub(super) fn violations(&self) -> MutexGuard<'_, PermissionViolations> {
        let violations = self.violations.lock();
        violations.unwrap_or_else(PoisonError::into_inner)
    }

    fn record(&self, event: &Event) {
        match event {
            Event::Connected => tracing::info!("nats connected"),
            Event::Disconnected => {
                self.disconnections.fetch_add(1, Ordering::AcqRel);
                self.violations().connection_lost();
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
                    self.violations().record(text);
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
    }

    fn credentials_refused(&self) {
        if let Some(held_back) = self.throttle.lets_through("refused") {
            tracing::error!(
                held_back,
                "nats server refuses the credentials: correct user and secrets of the connection, and restart"
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
    let doublings = u32::try_from(attempt.saturating_sub(1))
        .unwrap_or(u32::MAX)
        .min(6);
    let longest = (FIRST_DELAY * 2_u32.pow(doublings)).min(LONGEST_DELAY);
    longest.mul_f64(0.5 + fastrand::f64() / 2.0)
}

/// Connects, however long that takes. May be dropped at any moment.
pub(super) async fn connect(addresses: &[ServerAddr], options: ConnectOptions) -> Link {
    let log = Arc::new(ConnectionLog::default());
    let records = Arc::clone(&log);
    let options = options.event_callback(move |event| {
        records.record(&event);
        std::future::ready(())
    });
    for attempt in 1.. {
        match options.clone().connect(addresses).await {
            Ok(client) => return Link { client, log },
            Err(error) if error.kind() == ConnectErrorKind::AuthorizationViolation => {
                log.credentials_refused();
            }
            Err(error) => log.warn(&error.to_string()),
        }
        sleep(delay(attempt)).await;
    }
    unreachable!("attempts are without end")
}

#[cfg(test)]
mod tests {
    use super::*;

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
