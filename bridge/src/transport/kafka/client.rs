//! What a client reports from inside librdkafka: log lines, errors, rebalances, delivery reports.

use std::error::Error;
use std::ops::Deref;
use std::sync::{LazyLock, Mutex};

use rdkafka::TopicPartitionList;
use rdkafka::client::OAuthToken;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{
    BaseConsumer, Consumer, ConsumerContext, RebalanceProtocol, StreamConsumer,
};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::producer::{DeliveryResult, ProducerContext};
use rdkafka::types::RDKafkaRespErr;
use rdkafka::util::get_rdkafka_version;
use rdkafka::{ClientConfig, ClientContext};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;
use tracing::Span;

use super::token;
use super::watchdog::Watchdog;
use crate::credentials::BearerToken;
use crate::logging::Throttle;
use crate::outcome::Outcome;
use crate::shared::lock;

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

pub(super) fn is_authentication(code: RDKafkaErrorCode) -> bool {
    matches!(
        code,
        RDKafkaErrorCode::Authentication
            | RDKafkaErrorCode::SaslAuthenticationFailed
            | RDKafkaErrorCode::UnsupportedSASLMechanism
            | RDKafkaErrorCode::SSL
    )
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

/// A client that is not closed on the thread of a route: that waits for threads and purges the queue.
pub(super) struct ClosedInBackground<T: Send + 'static>(Option<T>);

impl<T: Send + 'static> ClosedInBackground<T> {
    pub(super) fn new(client: T) -> Self {
        Self(Some(client))
    }
}

impl<T: Send + 'static> Deref for ClosedInBackground<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect("only its end takes it")
    }
}

impl<T: Send + 'static> Drop for ClosedInBackground<T> {
    fn drop(&mut self) {
        let (client, closing) = (self.0.take(), CLOSING.token());
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

pub(super) type DeliveryReport = Result<(), RDKafkaErrorCode>;

/// The client keeps it beside the event.
pub(super) type ReportSender = Box<oneshot::Sender<DeliveryReport>>;

pub(super) type Client = StreamConsumer<ClientEvents>;

/// The context of every client.
pub(super) struct ClientEvents {
    /// Names the route or connection: the client has threads of its own.
    pub(super) span: Span,
    pub(super) throttle: Throttle,
    pub(super) token: Option<BearerToken>,
    /// The last one that was shown.
    pub(super) shown: Mutex<Option<String>>,
    pub(super) watchdog: Watchdog,
    /// Why the client last failed, which the errors of its calls do not tell.
    pub(super) last_error: Mutex<Option<String>>,
    /// Of a source; closed when the consumer closes.
    pub(super) rebalances: Option<mpsc::Sender<Rebalance>>,
    /// Of a producer, to the thread of the routes, which the first report of a batch wakes.
    pub(super) reports: Option<mpsc::Sender<(ReportSender, DeliveryReport)>>,
}

impl ClientEvents {
    pub(super) fn new(span: Span, token: Option<BearerToken>) -> Self {
        Self {
            span,
            throttle: Throttle::default(),
            token,
            shown: Mutex::default(),
            watchdog: Watchdog::default(),
            last_error: Mutex::default(),
            rebalances: None,
            reports: None,
        }
    }

    pub(super) fn warn(&self, code: RDKafkaErrorCode, reason: &str) {
        let _span = self.span.enter();
        if let Some(held_back) = self.throttle.lets_through(&code.to_string()) {
            let remedy = match code {
                RDKafkaErrorCode::Authentication => Some(
                    "see that the broker takes the credentials of the connection; its log says why it does not",
                ),
                RDKafkaErrorCode::SSL => Some(Outcome::KAFKA_TLS_REMEDY),
                _ => None,
            };
            tracing::warn!(%code, reason, held_back, remedy, "kafka client reports an error");
        }
    }
}

impl ClientContext for ClientEvents {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn generate_oauth_token(&self, _: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
        let answer = token::answer(self.token.as_ref())?;
        *lock(&self.shown) = Some(answer.token.clone());
        Ok(answer)
    }

    /// The lines name brokers and topics, never payload or secrets.
    fn log(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        let _span = self.span.enter();
        match (level, facility) {
            (RDKafkaLogLevel::Warning, "OFFSET") if self.rebalances.is_some() => {
                tracing::error!(line, "committed offset is lost, the oldest record is next");
            }
            // Properties of consumers are given to producers too, and the other way around.
            (RDKafkaLogLevel::Debug, _) | (_, "CONFWARN") => {
                tracing::debug!(facility, line, "kafka client");
            }
            (RDKafkaLogLevel::Notice | RDKafkaLogLevel::Info, _) => {
                tracing::info!(facility, line, "kafka client");
            }
            // In an outage failed attempts are reported several times a second.
            _ => {
                if let Some(held_back) = self.throttle.lets_through(facility) {
                    tracing::warn!(facility, line, held_back, "kafka client");
                }
            }
        }
    }

    fn error(&self, error: KafkaError, reason: &str) {
        let code = match code(&error) {
            // A broker says what it has against our certificate after the handshake.
            _ if reason.contains("SSL alert number") => RDKafkaErrorCode::SSL,
            code => code,
        };
        // The end of a partition is no fault.
        if code == RDKafkaErrorCode::PartitionEOF {
            return;
        }
        // That follows upon another error.
        if code != RDKafkaErrorCode::AllBrokersDown {
            let error = is_authentication(code).then_some(code);
            self.watchdog.state().authentication_error = error;
            *lock(&self.last_error) = Some(reason.to_owned());
        }
        // Of a certificate or a mechanism no token is at fault.
        let is_of_token = matches!(
            code,
            RDKafkaErrorCode::Authentication | RDKafkaErrorCode::SaslAuthenticationFailed
        );
        if is_of_token && let (Some(token), Some(shown)) = (&self.token, &*lock(&self.shown)) {
            token.refused(shown);
        }
        self.warn(code, reason);
    }

    fn stats_raw(&self, statistics: &[u8]) {
        self.watchdog.read_statistics(statistics);
    }
}

impl ProducerContext for ClientEvents {
    type DeliveryOpaque = ReportSender;

    fn delivery(&self, result: &DeliveryResult<'_>, sender: ReportSender) {
        let Some(reports) = &self.reports else {
            return;
        };
        let report = result.as_ref().map(drop);
        let report = report.map_err(|(error, _)| match code(error) {
            code @ (RDKafkaErrorCode::MessageTimedOut
            | RDKafkaErrorCode::PurgeQueue
            | RDKafkaErrorCode::PurgeInflight) => {
                let cause = self.watchdog.state().authentication_error;
                cause.unwrap_or(code)
            }
            code => code,
        });
        if let Err(TrySendError::Full(report)) = reports.try_send((sender, report)) {
            reports.blocking_send(report).ok();
        }
    }
}

impl ConsumerContext for ClientEvents {
    /// Must never wait. librdkafka starts no other rebalance until the assignment has changed, so the channel
    /// never fills.
    fn rebalance(
        &self,
        consumer: &BaseConsumer<Self>,
        event: RDKafkaRespErr,
        partitions: &mut TopicPartitionList,
    ) {
        let _span = self.span.enter();
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

pub(super) fn assign(consumer: &Client, partitions: &TopicPartitionList) -> KafkaResult<()> {
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
        drop(ClosedInBackground::new(Slow(waits)));
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
