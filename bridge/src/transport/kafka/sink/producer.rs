//! The producer, made when it is needed and replaced when it has failed for good.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::rc::{Rc, Weak};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak as ArcWeak};
use std::thread::LocalKey;
use std::time::Duration;

use rdkafka::ClientContext;
use rdkafka::client::OAuthToken;
use rdkafka::config::{ClientConfig, RDKafkaLogLevel};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::producer::{
    BaseProducer, BaseRecord, DeliveryResult, Producer as _, ProducerContext, PurgeConfig,
};
use tokio::runtime::Handle;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::spawn_local;
use tokio::time::timeout;
use tracing::{Instrument, Span};

use super::classify::classify;
use super::{Batching, Profile};
use crate::credentials::BearerToken;
use crate::logging::{Throttle, connection_span};
use crate::outcome::{Outcome, UntrustedReason};
use crate::transport::Outgoing;
use crate::transport::kafka::client::{close_in_background, code, error_text};
use crate::transport::kafka::connection::KafkaCluster;
use crate::transport::kafka::log::ClientLog;
use crate::transport::kafka::record;
use crate::transport::kafka::token;
use crate::transport::kafka::watchdog::{self, Watchdog};

/// Bounds a client that does not keep its own timeout; reports wait for the thread that brings them.
const REPORT_GRACE: Duration = Duration::from_secs(10);

/// Beyond that the thread that brings them waits.
const REPORTS_MAX: usize = 1024;

/// An ended client's thread goes on for so long. Short waits cost: rdkafka polls busily at their ends.
const POLL: Duration = Duration::from_secs(10);

/// The kind of its lines, throttled: each event would write one.
const NOT_MADE: &str = "not made";

pub(super) type DeliveryReport = Result<(), RDKafkaErrorCode>;

/// The client keeps it beside the event.
pub(super) type ReportSender = Box<oneshot::Sender<DeliveryReport>>;

pub(super) struct Producer {
    /// Names the connection, whose routes share this.
    span: Span,
    throttle: Throttle,
    config: ClientConfig,
    report_timeout: Duration,
    /// Held by the sink that hands over next when the client's queue is full.
    pub(super) turn: Mutex<()>,
    /// Authentication failed since the last delivery.
    authentication_failed: Arc<AtomicBool>,
    token: Option<BearerToken>,
    client: RefCell<Option<PolledProducer>>,
}

struct PolledProducer {
    producer: Arc<BaseProducer<ProducerEvents>>,
    is_closed: Arc<AtomicBool>,
}

impl PolledProducer {
    fn new(config: &ClientConfig, events: ProducerEvents) -> Result<Self, KafkaError> {
        let producer: BaseProducer<_> = config.create_with_context(events)?;
        let client = Self {
            producer: Arc::new(producer),
            is_closed: Arc::default(),
        };
        let (producer, is_closed) = (Arc::clone(&client.producer), Arc::clone(&client.is_closed));
        let runtime = Handle::current();
        let poll = move || {
            // The first poll asks for the token, and again after ten seconds where there is none.
            if let Some(token) = &producer.context().token {
                drop(runtime.block_on(token.ready()));
            }
            while !is_closed.load(Ordering::Relaxed) {
                producer.poll(POLL);
            }
        };
        let thread = std::thread::Builder::new().name("kafka-reports".to_owned());
        thread.spawn(poll).map_err(|error| {
            KafkaError::ClientCreation(format!("no thread for its reports: {error}"))
        })?;
        Ok(client)
    }
}

impl Drop for PolledProducer {
    /// The thread closes what is left.
    fn drop(&mut self) {
        self.is_closed.store(true, Ordering::Relaxed);
        self.producer
            .purge(PurgeConfig::default().queue().inflight());
    }
}

struct ProducerEvents {
    log: ClientLog,
    /// To the thread of the routes, which the first report of a batch wakes.
    reports: mpsc::Sender<(ReportSender, DeliveryReport)>,
    authentication_failed: Arc<AtomicBool>,
    token: Option<BearerToken>,
    watchdog: Watchdog,
}

impl ClientContext for ProducerEvents {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn generate_oauth_token(&self, _: Option<&str>) -> Result<OAuthToken, Box<dyn Error>> {
        token::answer(self.token.as_ref())
    }

    fn stats_raw(&self, statistics: &[u8]) {
        self.watchdog.read_statistics(statistics);
    }

    fn log(&self, level: RDKafkaLogLevel, facility: &str, line: &str) {
        self.log.line(level, facility, line);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        let code = code(&error);
        if classify(code, false) == Outcome::Untrusted(UntrustedReason::NotAuthenticated) {
            self.authentication_failed.store(true, Ordering::Relaxed);
        }
        self.log.error(code, reason);
    }
}

impl ProducerContext for ProducerEvents {
    type DeliveryOpaque = ReportSender;

    fn delivery(&self, result: &DeliveryResult<'_>, sender: ReportSender) {
        let report = result.as_ref().map(drop);
        let report = report.map_err(|(error, _)| code(error));
        if let Err(TrySendError::Full(report)) = self.reports.try_send((sender, report)) {
            self.reports.blocking_send(report).ok();
        }
    }
}

impl Producer {
    /// Routes on this thread share a producer with the same configuration.
    pub(super) fn shared(
        cluster: &KafkaCluster,
        config: ClientConfig,
        message_timeout: Duration,
    ) -> KafkaResult<Rc<Self>> {
        thread_local! {
            static PRODUCERS: Shared<Producer> = RefCell::default();
        }
        shared(&PRODUCERS, cluster.name(), config, |config| {
            Ok(Rc::new(Self::new(cluster, config, message_timeout)))
        })
    }

    fn new(cluster: &KafkaCluster, config: ClientConfig, message_timeout: Duration) -> Self {
        Self {
            span: connection_span(cluster.name()),
            throttle: Throttle::default(),
            config,
            // One to be enqueued, and one to be delivered.
            report_timeout: 2 * message_timeout + REPORT_GRACE,
            turn: Mutex::default(),
            authentication_failed: Arc::default(),
            token: cluster.token.clone(),
            client: RefCell::default(),
        }
    }

    pub(super) fn connect(self: &Rc<Self>) -> Result<(), KafkaError> {
        let mut client = self.client.borrow_mut();
        if client.is_none() {
            let _span = self.span.enter();
            let (sender, reports) = mpsc::channel(REPORTS_MAX);
            let watchdog = Watchdog::default();
            let events = ProducerEvents {
                log: ClientLog::new(self.span.clone()),
                reports: sender,
                authentication_failed: Arc::clone(&self.authentication_failed),
                token: self.token.clone(),
                watchdog: watchdog.clone(),
            };
            let made = client.insert(PolledProducer::new(&self.config, events)?);
            let (own, made) = (Rc::downgrade(self), Arc::downgrade(&made.producer));
            let deliver = deliver_reports(own, made, reports, watchdog);
            spawn_local(deliver.in_current_span());
        }
        Ok(())
    }

    pub(super) fn is_connected(&self) -> Option<bool> {
        let client = self.client.borrow();
        let client = client.as_ref()?;
        client.producer.context().watchdog.is_connected()
    }

    /// Never waits; gives `sender` back when the client's queue is full.
    pub(super) fn enqueue(
        self: &Rc<Self>,
        topic: &str,
        event: &Outgoing,
        sender: ReportSender,
    ) -> Result<(), ReportSender> {
        if let Err(error) = self.connect() {
            if let Some(held_back) = self.throttle.lets_through(NOT_MADE) {
                let (_span, error) = (self.span.enter(), error_text(&error));
                tracing::error!(error, held_back, "kafka producer cannot be made");
            }
            sender.send(Err(RDKafkaErrorCode::Fatal)).ok();
            return Ok(());
        }
        let client = self.client.borrow();
        let Some(client) = &*client else {
            return Err(sender);
        };
        let sent = client.producer.send(BaseRecord::<[u8], [u8], _> {
            topic,
            partition: None,
            payload: event.body.as_deref(),
            key: event.key.as_deref(),
            // librdkafka takes anything else for the present.
            timestamp: event.timestamp_ms.filter(|&time| time > 0),
            headers: Some(record::owned_headers(&event.headers)),
            delivery_opaque: sender,
        });
        match sent {
            Ok(()) => {}
            Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), record)) => {
                return Err(record.delivery_opaque);
            }
            Err((error, record)) => {
                record.delivery_opaque.send(Err(code(&error))).ok();
            }
        }
        Ok(())
    }

    pub(super) async fn outcome(&self, report: oneshot::Receiver<DeliveryReport>) -> Outcome {
        match timeout(self.report_timeout, report).await {
            Ok(Ok(Ok(()))) => {
                self.authentication_failed.store(false, Ordering::Relaxed);
                Outcome::Delivered
            }
            Ok(Ok(Err(code))) => self.classify(code),
            Ok(Err(_)) | Err(_) => Outcome::Unreachable("no-report"),
        }
    }

    fn classify(&self, code: RDKafkaErrorCode) -> Outcome {
        let fatal = |it: &PolledProducer| it.producer.client().fatal_error();
        let fatal = self.client.borrow().as_ref().and_then(fatal);
        if let Some((cause, reason)) = fatal {
            let _span = self.span.enter();
            tracing::error!(
                code = %cause, reason,
                "kafka producer failed for good and is made anew"
            );
            close_in_background(self.client.take());
        }
        if code == RDKafkaErrorCode::MessageTimedOut
            && let Some(Err(error)) = self.token.as_ref().map(BearerToken::now)
        {
            return Outcome::NoToken(error.word);
        }
        classify(code, self.authentication_failed.load(Ordering::Relaxed))
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        close_in_background(self.client.take());
    }
}

/// Also drops a client that knows no broker any more: the next event makes another.
async fn deliver_reports(
    producer: Weak<Producer>,
    client: ArcWeak<BaseProducer<ProducerEvents>>,
    mut reports: mpsc::Receiver<(ReportSender, DeliveryReport)>,
    watchdog: Watchdog,
) {
    let mut batch = Vec::new();
    loop {
        tokio::select! {
            count = reports.recv_many(&mut batch, REPORTS_MAX) => match count {
                0 => return,
                // Who stopped waiting has counted the event as not delivered.
                _ => for (sender, report) in batch.drain(..) {
                    sender.send(report).ok();
                },
            },
            () = watchdog.triggered() => {
                tracing::warn!("kafka producer knows no broker any more and is made anew");
                // Another client may have taken its place.
                let is_own = |it: &mut PolledProducer| Arc::as_ptr(&it.producer) == client.as_ptr();
                let ended = producer.upgrade();
                close_in_background(ended.and_then(|it| it.client.borrow_mut().take_if(is_own)));
            }
        }
    }
}

/// By connection and configuration.
pub(super) type Shared<T> = RefCell<HashMap<(String, Vec<(String, String)>), Weak<T>>>;

/// Routes of a thread share a client of the same connection and configuration.
pub(super) fn shared<T>(
    known: &'static LocalKey<Shared<T>>,
    connection: &str,
    config: ClientConfig,
    make: impl FnOnce(ClientConfig) -> KafkaResult<Rc<T>>,
) -> KafkaResult<Rc<T>> {
    let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let pairs = config.config_map().into_iter().map(owned).collect();
    let key = (connection.to_owned(), pairs);
    known.with_borrow_mut(|known| {
        if let Some(client) = known.get(&key).and_then(Weak::upgrade) {
            return Ok(client);
        }
        let client = make(config)?;
        known.retain(|_, client| client.strong_count() > 0);
        known.insert(key, Rc::downgrade(&client));
        Ok(client)
    })
}

pub(super) fn config(
    cluster: &KafkaCluster,
    message_timeout: Duration,
    profile: Profile,
    batching: Batching,
) -> ClientConfig {
    let (linger, in_flight) = match (profile, batching) {
        // An idempotent producer has one batch of a partition in flight, and its thread polls
        // busily while the next one waits, unless a request of another partition is queued: two
        // leave room for that. With five it takes twice the processor time of the whole route.
        (Profile::Throughput, Batching::Shared) => ("5", "2"),
        // Without linger each event wakes the client's thread: twice the processor time.
        _ => ("0.2", "1"),
    };
    let mut defaults = vec![
        ("linger.ms", linger),
        ("max.in.flight.requests.per.connection", in_flight),
        // As the Java client does it, so that one key goes to one partition for everybody.
        ("partitioner", "murmur2_random"),
        // The broker says what is too large; the limit of a batch (`batch.size`) stays.
        ("message.max.bytes", "10485760"),
    ];
    if profile == Profile::DeadLetters {
        defaults.push(("compression.type", "zstd"));
    }
    let timeout = message_timeout.as_millis().to_string();
    let mut owned = vec![
        ("acks", "all"),
        ("enable.idempotence", "true"),
        ("message.timeout.ms", timeout.as_str()),
        watchdog::STATISTICS,
    ];
    if batching == Batching::Alone {
        owned.push(("batch.num.messages", "1"));
    }
    cluster.client_config(&defaults, &owned)
}

#[cfg(test)]
mod tests;
