//! The producer, made when it is needed and replaced when it has failed for good.

use std::cell::{Ref, RefCell};
use std::rc::Rc;
use std::sync::{Arc, Weak};
use std::time::Duration;

use rdkafka::config::ClientConfig;
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer as _, PurgeConfig};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, mpsc, oneshot};
use tokio::task::spawn_local;
use tokio::time::timeout;
use tracing::{Instrument, Span};

use super::Profile;
use super::classify::classify;
use super::max_message_bytes::MaxMessageBytes;
use crate::credentials::BearerToken;
use crate::logging::{Throttle, connection_span};
use crate::outcome::Outcome;
use crate::shared::Shared;
use crate::transport::Outgoing;
use crate::transport::kafka::client::{
    ClientEvents, ClosedInBackground, DeliveryReport, ReportSender, code, error_text,
    is_authentication,
};
use crate::transport::kafka::connection::KafkaCluster;
use crate::transport::kafka::record;
use crate::transport::kafka::watchdog::{ClientState, Watchdog};

/// Bounds a client that does not keep its own timeout; reports wait for the thread that brings them.
const REPORT_GRACE: Duration = Duration::from_secs(10);

/// Beyond that the thread that brings them waits.
const REPORTS_MAX: usize = 1024;

/// An ended client's thread goes on for so long. Short waits cost: rdkafka polls busily at their ends.
const POLL: Duration = Duration::from_secs(10);

/// The kind of its lines, throttled: each event would write one.
const NOT_MADE: &str = "not made";

pub(super) struct Producer {
    /// Names the connection, whose routes share this.
    pub(super) span: Span,
    throttle: Throttle,
    config: ClientConfig,
    pub(super) max_message_bytes: Rc<MaxMessageBytes>,
    pub(super) message_timeout: Duration,
    /// Held by the sink that hands over next when the client's queue is full.
    pub(super) turn: Mutex<()>,
    token: Option<BearerToken>,
    client: RefCell<Option<ClosedInBackground<PolledProducer>>>,
}

struct PolledProducer {
    producer: Arc<BaseProducer<ClientEvents>>,
}

impl PolledProducer {
    fn new(config: &ClientConfig, events: ClientEvents) -> KafkaResult<Self> {
        let producer: Arc<BaseProducer<ClientEvents>> =
            Arc::new(config.create_with_context(events)?);
        let (polled, runtime) = (Arc::downgrade(&producer), Handle::current());
        let token = producer.context().token.clone();
        let poll = move || {
            // The first poll asks for the token, and again after ten seconds where there is none.
            if let Some(token) = token {
                drop(runtime.block_on(token.ready()));
            }
            while let Some(producer) = polled.upgrade() {
                producer.poll(POLL);
            }
        };
        let thread = std::thread::Builder::new().name("kafka-reports".to_owned());
        thread.spawn(poll).map_err(|error| {
            KafkaError::ClientCreation(format!("no thread for its reports: {error}"))
        })?;
        Ok(Self { producer })
    }
}

impl Drop for PolledProducer {
    /// The thread closes what is left.
    fn drop(&mut self) {
        self.producer
            .purge(PurgeConfig::default().queue().inflight());
    }
}

impl Producer {
    /// Routes of a thread share a producer of the same connection and configuration.
    pub(super) fn shared(
        cluster: &KafkaCluster,
        config: ClientConfig,
        message_timeout: Duration,
    ) -> Arc<Self> {
        thread_local! {
            static PRODUCERS: Shared<String, Producer> = const { Shared::new() };
        }
        let key = format!("{} {:?}", cluster.name, config.config_map());
        let make = || Self {
            span: connection_span(&cluster.name),
            throttle: Throttle::default(),
            config,
            max_message_bytes: Rc::default(),
            message_timeout,
            turn: Mutex::default(),
            token: cluster.token.clone(),
            client: RefCell::default(),
        };
        PRODUCERS.with(|known| known.get(key, make))
    }

    /// The client, made where there is none.
    pub(super) fn connect(self: &Arc<Self>) -> KafkaResult<Ref<'_, BaseProducer<ClientEvents>>> {
        if self.client.borrow().is_none() {
            let _span = self.span.enter();
            let (sender, reports) = mpsc::channel(REPORTS_MAX);
            let events = ClientEvents {
                reports: Some(sender),
                ..ClientEvents::new(self.span.clone(), self.token.clone())
            };
            let watchdog = events.watchdog.clone();
            let made = PolledProducer::new(&self.config, events)?;
            let (own, client) = (Arc::downgrade(self), Arc::downgrade(&made.producer));
            let deliver = deliver_reports(own, client, reports, watchdog);
            spawn_local(deliver.in_current_span());
            self.client.replace(Some(ClosedInBackground::new(made)));
        }
        Ok(Ref::map(self.client.borrow(), |client| {
            &*client.as_ref().expect("it is made by now").producer
        }))
    }

    pub(super) fn is_connected(&self) -> Option<bool> {
        let client = self.client.borrow();
        let watchdog = &client.as_ref()?.producer.context().watchdog;
        watchdog.state().connected
    }

    /// Never waits; gives `sender` back when the client's queue is full.
    pub(super) fn enqueue(
        self: &Arc<Self>,
        topic: &str,
        event: &Outgoing,
        sender: ReportSender,
    ) -> Result<(), ReportSender> {
        let client = match self.connect() {
            Ok(client) => client,
            Err(error) => {
                if let Some(held_back) = self.throttle.lets_through(NOT_MADE) {
                    let (_span, error) = (self.span.enter(), error_text(&error));
                    tracing::error!(error, held_back, "kafka producer cannot be made");
                }
                sender.send(Err(RDKafkaErrorCode::Fatal)).ok();
                return Ok(());
            }
        };
        let refused = client.context().watchdog.state().not_authenticated();
        if let Some(code) = refused {
            sender.send(Err(code)).ok();
            return Ok(());
        }
        let sent = client.send(BaseRecord::<[u8], [u8], _> {
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
        // One to be enqueued, and one to be delivered.
        match timeout(2 * self.message_timeout + REPORT_GRACE, report).await {
            Ok(Ok(Ok(()))) => Outcome::Delivered,
            Ok(Ok(Err(code))) => self.classify(code),
            Ok(Err(_)) | Err(_) => Outcome::Unreachable("no-report"),
        }
    }

    fn classify(&self, code: RDKafkaErrorCode) -> Outcome {
        let fatal = |it: &ClosedInBackground<PolledProducer>| it.producer.client().fatal_error();
        let fatal = self.client.borrow().as_ref().and_then(fatal);
        if let Some((cause, reason)) = fatal {
            let _span = self.span.enter();
            tracing::error!(
                code = %cause, reason,
                "kafka producer failed for good and is made anew"
            );
            self.client.take();
        }
        if (code == RDKafkaErrorCode::MessageTimedOut || is_authentication(code))
            && let Some(Err(error)) = self.token.as_ref().map(BearerToken::now)
        {
            return Outcome::NoToken(error.word);
        }
        classify(code)
    }
}

/// Also puts another client in the place of one that no broker serves.
async fn deliver_reports(
    producer: Weak<Producer>,
    client: Weak<BaseProducer<ClientEvents>>,
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
                // Another client may have taken its place.
                let is_own = |it: &mut ClosedInBackground<PolledProducer>| {
                    Arc::as_ptr(&it.producer) == client.as_ptr()
                };
                let Some(producer) = producer.upgrade() else { continue };
                if producer.client.borrow_mut().take_if(is_own).is_none() {
                    continue;
                }
                tracing::warn!("kafka producer has no broker that serves it and is made anew");
                let error = watchdog.state().not_authenticated();
                // The next event tells what is wrong with that.
                if let (Ok(client), Some(error)) = (producer.connect(), error) {
                    let state = ClientState::not_authenticated_before(error);
                    *client.context().watchdog.state() = state;
                }
            }
        }
    }
}

pub(super) fn config(
    cluster: &KafkaCluster,
    message_timeout: Duration,
    profile: Profile,
) -> ClientConfig {
    let (linger, in_flight) = match profile {
        // An idempotent producer has one batch of a partition in flight, and its thread polls
        // busily while the next one waits, unless a request of another partition is queued: two
        // leave room for that. With five it takes twice the processor time of the whole route.
        Profile::Throughput => ("5", "2"),
        // Without linger each event wakes the client's thread: twice the processor time.
        Profile::LowLatency | Profile::DeadLetters => ("0.2", "1"),
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
    let owned = [
        ("acks", "all"),
        ("enable.idempotence", "true"),
        ("message.timeout.ms", timeout.as_str()),
    ];
    cluster.client_config(&defaults, &owned)
}

#[cfg(test)]
mod tests;
