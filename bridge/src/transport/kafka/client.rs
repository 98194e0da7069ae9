//! What a client reports from inside librdkafka: log lines, errors, rebalances.

use std::error::Error;
use std::sync::LazyLock;

use rdkafka::TopicPartitionList;
use rdkafka::client::OAuthToken;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{
    BaseConsumer, Consumer, ConsumerContext, RebalanceProtocol, StreamConsumer,
};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::types::RDKafkaRespErr;
use rdkafka::util::get_rdkafka_version;
use rdkafka::{ClientConfig, ClientContext};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;
use tracing::Span;

use super::log::ClientLog;
use super::token;
use super::watchdog::Watchdog;
use crate::credentials::BearerToken;

/// librdkafka: its version, and what it was built with.
pub(crate) fn library() -> String {
    let (_, version) = get_rdkafka_version();
    let features = ClientConfig::new().create_native_config();
    let features = features.and_then(|config| config.get("builtin.features"));
    format!("librdkafka: {version} ({})", features.unwrap_or_default())
}

pub(super) fn code(error: &KafkaError) -> RDKafkaErrorCode {
    error.rdkafka_error_code().unwrap_or(RDKafkaErrorCode::Fail)
}

/// Without the value of a property, which may be a secret.
pub(super) fn error_text(error: &KafkaError) -> String {
    match error {
        KafkaError::ClientConfig(_, _, name, _) => {
            format!("librdkafka does not take the value of {name}")
        }
        KafkaError::ClientCreation(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Who closes a client, or asks a question with the last one.
pub(super) static CLOSING: LazyLock<TaskTracker> = LazyLock::new(TaskTracker::new);

/// Closing waits for threads and purges the queue: not on the thread of a route.
pub(super) fn close_in_background(client: Option<impl Send + 'static>) {
    if let Some(client) = client {
        let closing = CLOSING.token();
        // Where there is no thread for it, it is closed here.
        drop(std::thread::Builder::new().spawn(move || {
            drop(client);
            drop(closing);
        }));
    }
}

/// Until clients are closed: while a process ends, librdkafka may not speak TLS any more.
pub(crate) async fn closed() {
    CLOSING.close();
    CLOSING.wait().await;
}

#[derive(Clone, Debug)]
pub(super) enum Rebalance {
    Assign(TopicPartitionList),
    Revoke(TopicPartitionList),
}

pub(super) type Client = StreamConsumer<ConsumerEvents>;

/// The context of a consumer, or of a client that only requests metadata.
pub(super) struct ConsumerEvents {
    /// Of a source; closed when the consumer closes.
    pub(super) rebalances: Option<mpsc::Sender<Rebalance>>,
    pub(super) token: Option<BearerToken>,
    pub(super) log: ClientLog,
    pub(super) watchdog: Watchdog,
}

impl ConsumerEvents {
    pub(super) fn new(
        span: Span,
        token: Option<BearerToken>,
        rebalances: Option<mpsc::Sender<Rebalance>>,
    ) -> Self {
        Self {
            rebalances,
            token,
            log: ClientLog::new(span),
            watchdog: Watchdog::default(),
        }
    }
}

impl ClientContext for ConsumerEvents {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn generate_oauth_token(&self, _: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
        token::answer(self.token.as_ref())
    }

    fn log(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        match (level, facility) {
            (RDKafkaLogLevel::Warning, "OFFSET") if self.rebalances.is_some() => {
                let _span = self.log.enter();
                tracing::error!(line, "committed offset is lost, the oldest record is next");
            }
            _ => self.log.line(level, facility, line),
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        // The end of a partition is no fault.
        if code(&error) != RDKafkaErrorCode::PartitionEOF {
            self.log.error(code(&error), reason);
        }
    }

    fn stats_raw(&self, statistics: &[u8]) {
        self.watchdog.read_statistics(statistics);
    }
}

impl ConsumerContext for ConsumerEvents {
    /// Must never wait. librdkafka starts no other rebalance until the assignment has changed, so the channel
    /// never fills.
    fn rebalance(
        &self,
        consumer: &BaseConsumer<Self>,
        event: RDKafkaRespErr,
        partitions: &mut TopicPartitionList,
    ) {
        let _span = self.log.enter();
        let change = match event {
            RDKafkaRespErr::RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS => Rebalance::Assign,
            _ => Rebalance::Revoke,
        }(partitions.clone());
        // When the consumer closes, nobody is there to carry it out.
        let rebalances = self.rebalances.as_ref();
        let waits = rebalances.is_some_and(|rebalances| rebalances.try_send(change).is_ok());
        if !waits && let Err(error) = unassign(consumer, partitions) {
            tracing::warn!(%error, "partitions could not be given back");
        }
    }
}

pub(super) fn assign<T: ConsumerContext>(
    consumer: &impl Consumer<T>,
    partitions: &TopicPartitionList,
) -> KafkaResult<()> {
    match consumer.rebalance_protocol() {
        RebalanceProtocol::Cooperative => consumer.incremental_assign(partitions),
        _ => consumer.assign(partitions),
    }
}

pub(super) fn unassign<T: ConsumerContext>(
    consumer: &impl Consumer<T>,
    partitions: &TopicPartitionList,
) -> KafkaResult<()> {
    match consumer.rebalance_protocol() {
        RebalanceProtocol::Cooperative => consumer.incremental_unassign(partitions),
        _ => consumer.unassign(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
    use std::sync::mpsc::{Receiver, sync_channel};
    use std::time::Duration;

    use futures_util::FutureExt;
    use tokio::time::timeout;

    use super::*;

    /// A client whose closing takes until it is told.
    struct Slow(Receiver<()>);

    impl Drop for Slow {
        fn drop(&mut self) {
            self.0.recv().unwrap();
        }
    }

    #[tokio::test]
    async fn who_waits_goes_on_once_all_are_closed() {
        let (go_on, waits) = sync_channel(1);
        close_in_background(Some(Slow(waits)));
        assert!(closed().now_or_never().is_none());
        go_on.send(()).unwrap();
        timeout(Duration::from_secs(60), closed()).await.unwrap();
    }

    #[test]
    fn the_value_of_a_property_is_not_told() {
        let mut config = ClientConfig::new();
        config.set("security.protocol", "hunter2");
        let error = config.create::<BaseConsumer>().err().unwrap();
        assert!(error.to_string().contains("hunter2"));
        let text = error_text(&error);
        assert!(text.contains("security.protocol"), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}
