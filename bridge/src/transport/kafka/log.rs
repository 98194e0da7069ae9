//! What librdkafka says, passed on without flooding the log: in an outage it reports each failed
//! attempt of each connection, several times a second, for as long as the brokers are away.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::RDKafkaErrorCode;
use tokio::time::Instant;

/// How long lines of one kind are held back after one was written.
const PAUSE: Duration = Duration::from_secs(30);
/// Most kinds that are told apart; librdkafka has a few dozen words.
const MOST_KINDS: usize = 64;

/// The log of one client: when a line of each kind was last written, and how many of it were held
/// back since.
#[derive(Debug, Default)]
pub(super) struct ClientLog(Mutex<BTreeMap<String, (Instant, u64)>>);

impl ClientLog {
    /// Passes a line of librdkafka's log on. It names brokers and topics, never payload or secrets.
    pub(super) fn line(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        match level {
            // Properties of consumers are given to producers too, and the other way around.
            _ if facility == "CONFWARN" => tracing::debug!(facility, line, "kafka client"),
            RDKafkaLogLevel::Emerg
            | RDKafkaLogLevel::Alert
            | RDKafkaLogLevel::Critical
            | RDKafkaLogLevel::Error
            | RDKafkaLogLevel::Warning => {
                if let Some(held_back) = self.lets_through(facility) {
                    tracing::warn!(facility, line, held_back, "kafka client");
                }
            }
            RDKafkaLogLevel::Notice | RDKafkaLogLevel::Info => {
                tracing::info!(facility, line, "kafka client");
            }
            RDKafkaLogLevel::Debug => tracing::debug!(facility, line, "kafka client"),
        }
    }

    /// Passes an error of the client on.
    pub(super) fn error(&self, code: RDKafkaErrorCode, reason: &str) {
        if let Some(held_back) = self.lets_through(&format!("{code:?}")) {
            tracing::warn!(?code, reason, held_back, "kafka client reports an error");
        }
    }

    /// Says that a commit failed.
    pub(super) fn commit_failed(&self, code: RDKafkaErrorCode) {
        if let Some(held_back) = self.lets_through(&format!("commit {code:?}")) {
            tracing::warn!(?code, held_back, "commit failed, a later one repeats it");
        }
    }

    /// Whether a line of this kind is to be written now, and how many like it were held back before.
    fn lets_through(&self, kind: &str) -> Option<u64> {
        let now = Instant::now();
        let mut kinds = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((written, held_back)) = kinds.get_mut(kind) {
            if now.duration_since(*written) < PAUSE {
                *held_back += 1;
                return None;
            }
            *written = now;
            return Some(std::mem::take(held_back));
        }
        if kinds.len() < MOST_KINDS {
            kinds.insert(kind.to_owned(), (now, 0));
        }
        Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_line_of_a_kind_in_half_a_minute() {
        let log = ClientLog::default();
        assert_eq!(log.lets_through("FAIL"), Some(0));
        assert_eq!(log.lets_through("FAIL"), None);
        assert_eq!(log.lets_through("FAIL"), None);
        assert_eq!(log.lets_through("OTHER"), Some(0));
        tokio::time::advance(PAUSE).await;
        assert_eq!(log.lets_through("FAIL"), Some(2));
    }
}
