//! librdkafka's log lines, passed on without flooding the log: in an outage it reports each failed
//! attempt of each connection, several times a second.

use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::RDKafkaErrorCode;

use crate::logging::Throttle;

#[derive(Debug, Default)]
pub(super) struct ClientLog(Throttle);

impl ClientLog {
    /// The lines name brokers and topics, never payload or secrets.
    pub(super) fn line(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        match level {
            // Properties of consumers are given to producers too, and the other way around.
            _ if facility == "CONFWARN" => tracing::debug!(facility, line, "kafka client"),
            RDKafkaLogLevel::Emerg
            | RDKafkaLogLevel::Alert
            | RDKafkaLogLevel::Critical
            | RDKafkaLogLevel::Error
            | RDKafkaLogLevel::Warning => {
                if let Some(held_back) = self.0.lets_through(facility) {
                    tracing::warn!(facility, line, held_back, "kafka client");
                }
            }
            RDKafkaLogLevel::Notice | RDKafkaLogLevel::Info => {
                tracing::info!(facility, line, "kafka client");
            }
            RDKafkaLogLevel::Debug => tracing::debug!(facility, line, "kafka client"),
        }
    }

    pub(super) fn error(&self, code: RDKafkaErrorCode, reason: &str) {
        if let Some(held_back) = self.0.lets_through(&format!("{code:?}")) {
            tracing::warn!(?code, reason, held_back, "kafka client reports an error");
        }
    }
}
