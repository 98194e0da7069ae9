//! The two ends of a path: where a run's events lie, and where they arrive.

use std::time::Duration;

use tokio::time::Instant;

use crate::Work;
use crate::child::Child;
use crate::kafka::Kafka;
use crate::nats::Nats;
use crate::paced::Pace;
use crate::path::End;
use crate::receiver::{self, Endpoint};
use crate::roll_call::RollCall;
use crate::traffic::Traffic;

/// How long a run may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How often it is asked how many events have arrived: often enough to time a run by it, and
/// rarely enough not to be felt.
const POLL: Duration = Duration::from_millis(5);

/// The brokers that run.
pub(crate) struct Brokers {
    pub(crate) kafka: Kafka,
    pub(crate) nats: Nats,
}

/// One table of the bridge's settings.
pub(crate) type Table = (&'static str, Vec<(&'static str, String)>);

/// Events that wait to be carried; every run reads them under a name of its own.
pub(crate) enum Near<'a> {
    Topic(&'a Kafka, String),
    Stream(&'a Nats, String),
}

/// Where the events of one run arrive.
pub(crate) enum Far<'a> {
    Webhook(Endpoint),
    Topic(&'a Kafka, String),
    Stream(&'a Nats, String),
}

impl<'a> Near<'a> {
    pub(crate) fn create(end: End, brokers: &'a Brokers) -> Self {
        let (kafka, nats) = (&brokers.kafka, &brokers.nats);
        match end {
            End::Kafka => Self::Topic(kafka, kafka.create_topic("bench-from")),
            End::JetStream => Self::Stream(nats, nats.create_stream("bench-from")),
            End::Webhook => unreachable!("senders have a way of their own"),
        }
    }

    /// Writes the events of these numbers and returns when each was handed to the client.
    pub(crate) fn write(
        &self,
        traffic: &Traffic,
        numbers: impl Iterator<Item = usize>,
        pace: Option<Pace>,
    ) -> Vec<Instant> {
        match self {
            Self::Topic(kafka, topic) => kafka.write(topic, traffic, numbers, pace),
            Self::Stream(nats, stream) => nats.write(|_| stream.clone(), traffic, numbers, pace),
        }
    }

    /// What a bare pipe must be told.
    pub(crate) fn arguments(&self, reader: &str) -> Vec<String> {
        let (server, name) = match self {
            Self::Topic(kafka, topic) => (&kafka.brokers, topic),
            Self::Stream(nats, stream) => (&nats.server, stream),
        };
        vec![server.clone(), name.clone(), reader.to_owned()]
    }

    pub(crate) fn table(&self, reader: &str) -> Table {
        let keys = match self {
            Self::Topic(_, topic) => vec![
                ("kafka", "main".to_owned()),
                ("topic", topic.clone()),
                ("group", reader.to_owned()),
            ],
            Self::Stream(_, stream) => vec![
                ("nats", "main".to_owned()),
                ("stream", stream.clone()),
                ("subject", stream.clone()),
                ("durable", reader.to_owned()),
            ],
        };
        ("[route.source]", keys)
    }

    pub(crate) fn delete(self) {
        match self {
            Self::Topic(kafka, topic) => kafka.delete_topic(&topic),
            Self::Stream(nats, stream) => nats.delete_stream(&stream),
        }
    }
}

impl<'a> Far<'a> {
    pub(crate) fn open(end: End, brokers: &'a Brokers, work: Work) -> Self {
        match end {
            End::Webhook => {
                Self::Webhook(receiver::start(work.events, work.keys, work.receiver_ms))
            }
            End::Kafka => Self::Topic(&brokers.kafka, brokers.kafka.create_topic("bench-to")),
            End::JetStream => Self::Stream(&brokers.nats, brokers.nats.create_stream("bench-to")),
        }
    }

    /// What a bare pipe must be told.
    pub(crate) fn arguments(&self) -> Vec<String> {
        match self {
            Self::Webhook(endpoint) => vec![url(endpoint)],
            Self::Topic(kafka, topic) => vec![kafka.brokers.clone(), topic.clone()],
            Self::Stream(nats, stream) => vec![nats.server.clone(), stream.clone()],
        }
    }

    pub(crate) fn table(&self) -> Table {
        let keys = match self {
            Self::Webhook(endpoint) => vec![("url", url(endpoint))],
            Self::Topic(_, topic) => {
                vec![("kafka", "main".to_owned()), ("topic", topic.clone())]
            }
            Self::Stream(_, stream) => vec![
                ("nats", "main".to_owned()),
                ("stream", stream.clone()),
                ("subject", stream.clone()),
            ],
        };
        ("[route.sink]", keys)
    }

    /// Waits for the first tenth, calls `warm`, and waits for the rest.
    pub(crate) fn fill_up(&self, events: usize, child: &mut Child, warm: impl FnOnce()) {
        self.wait_for(events / 10, child);
        warm();
        self.wait_for(events, child);
    }

    fn wait_for(&self, events: usize, child: &mut Child) {
        let deadline = Instant::now() + PATIENCE;
        while self.arrived() < events {
            assert!(
                child.is_running(),
                "it ended; CENL_BENCH_LOG=1 shows what it says"
            );
            assert!(
                Instant::now() < deadline,
                "{} of {events} events arrived in {PATIENCE:?}",
                self.arrived()
            );
            std::thread::sleep(POLL);
        }
    }

    fn arrived(&self) -> usize {
        match self {
            Self::Webhook(endpoint) => endpoint.arrived(),
            Self::Topic(kafka, topic) => kafka.len(topic),
            Self::Stream(nats, stream) => nats.len(stream),
        }
    }

    /// Who arrived.
    pub(crate) fn roll_call(&self, work: Work) -> RollCall {
        let empty = RollCall::new(work.events, work.keys);
        match self {
            Self::Webhook(endpoint) => endpoint.roll_call(),
            Self::Topic(kafka, topic) => kafka.read(topic, empty),
            Self::Stream(nats, stream) => nats.read(stream, empty),
        }
    }

    /// Who arrives, read while events are on their way.
    pub(crate) fn roll_call_of(&self, work: Work, child: &mut Child) -> RollCall {
        if let Self::Webhook(_) = self {
            self.wait_for(work.events, child);
        }
        self.roll_call(work)
    }

    pub(crate) fn close(self) {
        match self {
            // Its thread ends with this process.
            Self::Webhook(_) => {}
            Self::Topic(kafka, topic) => kafka.delete_topic(&topic),
            Self::Stream(nats, stream) => nats.delete_stream(&stream),
        }
    }
}

pub(crate) fn url(endpoint: &Endpoint) -> String {
    format!("http://{}/events", endpoint.address)
}
