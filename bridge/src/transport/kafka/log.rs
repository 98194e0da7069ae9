//! librdkafka's log lines, throttled: in an outage it reports failed attempts several times a second.

use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::RDKafkaErrorCode;
use tracing::Span;
use tracing::span::Entered;

use crate::logging::Throttle;

#[derive(Debug)]
pub(super) struct ClientLog {
    throttle: Throttle,
    /// Names the route or connection: the client has threads of its own.
    span: Span,
}

impl ClientLog {
    pub(super) fn new(span: Span) -> Self {
        Self {
            throttle: Throttle::default(),
            span,
        }
    }

    /// Until the return value is dropped.
    pub(super) fn enter(&self) -> Entered<'_> {
        self.span.enter()
    }

    /// The lines name brokers and topics, never payload or secrets.
    pub(super) fn line(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        let _span = self.enter();
        match level {
            // Properties of consumers are given to producers too, and the other way around.
            _ if facility == "CONFWARN" => tracing::debug!(facility, line, "kafka client"),
            RDKafkaLogLevel::Debug => tracing::debug!(facility, line, "kafka client"),
            RDKafkaLogLevel::Notice | RDKafkaLogLevel::Info => {
                tracing::info!(facility, line, "kafka client");
            }
            _ => {
                if let Some(held_back) = self.throttle.lets_through(facility) {
                    tracing::warn!(facility, line, held_back, "kafka client");
                }
            }
        }
    }

    pub(super) fn error(&self, code: RDKafkaErrorCode, reason: &str) {
        let _span = self.enter();
        if let Some(held_back) = self.throttle.lets_through(&code.to_string()) {
            let remedy = (code == RDKafkaErrorCode::Authentication).then_some(
                "see that the broker takes the credentials of the connection; its log says why it does not",
            );
            tracing::warn!(%code, reason, held_back, remedy, "kafka client reports an error");
        }
    }
}
