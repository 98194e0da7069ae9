//! Clients whose broker stops, and says on its way out that there is no broker.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::source_mock::{Running, WINDOW, position_prefix};
use super::{Broker, KafkaCluster, TOPIC, run, sink_mock, until};
use crate::outcome::Outcome;
use crate::transport::Sink;
use crate::transport::kafka::settings::{SinkSettings, SourceSettings};
use crate::transport::kafka::sink::{KafkaSink, Profile};

/// A broker that answers questions about brokers and topics, and nothing else.
#[derive(Clone)]
struct Signpost {
    address: SocketAddr,
    /// The port of the broker that it names in the end.
    port: u16,
    answers: Arc<AtomicUsize>,
}

const METADATA: i16 = 3;
const FIND_COORDINATOR: i16 = 10;
const API_VERSIONS: i16 = 18;
/// What it claims to know: enough for an idempotent producer and for a member of a group.
const KNOWN: [(i16, i16, i16); 6] = [
    (0, 3, 3),
    (1, 4, 4),
    (METADATA, 1, 1),
    (FIND_COORDINATOR, 0, 0),
    (API_VERSIONS, 0, 0),
    (22, 0, 0),
];
const LEADER_NOT_AVAILABLE: i16 = 5;
const COORDINATOR_NOT_AVAILABLE: i16 = 15;
const UNSUPPORTED_VERSION: i16 = 35;
const OTHER_TOPICS: i32 = 50_000;

/// What an answer about brokers names.
#[derive(Clone, Copy, PartialEq)]
enum Named {
    Itself,
    Nobody,
    Broker,
}

impl Signpost {
    fn towards(broker: &Broker) -> Self {
        let port = broker.mock.bootstrap_servers();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let signpost = Self {
            address: listener.local_addr().unwrap(),
            port: port.rsplit(':').next().unwrap().parse().unwrap(),
            answers: Arc::default(),
        };
        let own = signpost.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                // It ends when either side leaves.
                std::thread::spawn(move || own.serve(stream).ok());
            }
        });
        signpost
    }

    /// A cluster that is found through the signpost.
    fn cluster(&self) -> KafkaCluster {
        KafkaCluster::new(&self.address.to_string(), &super::ALWAYS)
    }

    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        loop {
            let mut size = [0; 4];
            stream.read_exact(&mut size)?;
            let mut request = vec![0; u32::from_be_bytes(size) as usize];
            stream.read_exact(&mut request)?;
            let number = |at: usize| i16::from_be_bytes([request[at], request[at + 1]]);
            let mut named = None;
            let answer = match (number(0), number(2)) {
                (API_VERSIONS, version) => versions(version),
                (METADATA, _) => self.metadata(*named.insert(self.next())),
                (FIND_COORDINATOR, _) => no_coordinator(),
                _ => return Ok(()),
            };
            let answer = [&request[4..8], &answer].concat();
            stream.write_all(&(answer.len() as u32).to_be_bytes())?;
            stream.write_all(&answer)?;
            // A broker that stops closes behind its last answer.
            if named == Some(Named::Nobody) {
                return Ok(());
            }
        }
    }

    fn next(&self) -> Named {
        match self.answers.fetch_add(1, Ordering::Relaxed) {
            0 => Named::Itself,
            1 => Named::Nobody,
            _ => Named::Broker,
        }
    }

    fn metadata(&self, named: Named) -> Vec<u8> {
        let port = match named {
            Named::Itself => Some(self.address.port()),
            Named::Nobody => None,
            Named::Broker => Some(self.port),
        };
        let mut answer = i32::from(port.is_some()).to_be_bytes().to_vec();
        if let Some(port) = port {
            answer.extend(1_i32.to_be_bytes());
            answer.extend(text("127.0.0.1"));
            answer.extend(i32::from(port).to_be_bytes());
            // No rack.
            answer.extend((-1_i16).to_be_bytes());
        }
        // The controller.
        answer.extend((-1_i32).to_be_bytes());
        // Nobody comes with so many topics that the client still reads them when it hears that the
        // connection is gone: the moment in which it loses its way back.
        let others = if port.is_none() { OTHER_TOPICS } else { 0 };
        answer.extend((others + 1).to_be_bytes());
        for other in 0..others {
            answer.extend(topic(
                &format!("another-topic-with-a-longer-name-{other}"),
                0,
            ));
        }
        answer.extend(topic(TOPIC, 1));
        // Its one partition, with one replica, in sync.
        let (error, leader) = match named {
            Named::Broker => (0, 1),
            Named::Itself | Named::Nobody => (LEADER_NOT_AVAILABLE, -1),
        };
        answer.extend(error.to_be_bytes());
        for number in [0, leader, 1, 1, 1, 1] {
            answer.extend(i32::to_be_bytes(number));
        }
        answer
    }
}

fn versions(version: i16) -> Vec<u8> {
    let error = if version == 0 { 0 } else { UNSUPPORTED_VERSION };
    let numbers = KNOWN
        .into_iter()
        .flat_map(|(key, min, max)| [key, min, max]);
    let mut answer = error.to_be_bytes().to_vec();
    answer.extend((KNOWN.len() as i32).to_be_bytes());
    answer.extend(numbers.flat_map(i16::to_be_bytes));
    answer
}

fn no_coordinator() -> Vec<u8> {
    let mut answer = COORDINATOR_NOT_AVAILABLE.to_be_bytes().to_vec();
    answer.extend((-1_i32).to_be_bytes());
    answer.extend(text(""));
    answer.extend((-1_i32).to_be_bytes());
    answer
}

/// A topic without an error of its own, of which so many partitions follow.
fn topic(name: &str, partitions: i32) -> Vec<u8> {
    let mut topic = 0_i16.to_be_bytes().to_vec();
    topic.extend(text(name));
    // It is not one of Kafka's own.
    topic.push(0);
    topic.extend(partitions.to_be_bytes());
    topic
}

fn text(text: &str) -> Vec<u8> {
    let size = i16::try_from(text.len()).unwrap();
    [&size.to_be_bytes(), text.as_bytes()].concat()
}

#[test]
fn mock_a_sink_finds_back_after_a_broker_that_named_none() {
    let broker = Broker::new(1);
    let cluster = Signpost::towards(&broker).cluster();
    run(async {
        let settings = SinkSettings::new(TOPIC);
        let sink = KafkaSink::new(&cluster, &settings, Profile::LowLatency).unwrap();
        // In time: a client that is kept lets each event wait for its own timeout.
        until("the sink finds back", async || {
            sink.send(vec![sink_mock::event("a")]).await == Outcome::Delivered
        })
        .await;
    });
}

#[test]
fn mock_sources_find_back_after_a_broker_that_named_none() {
    let broker = Broker::new(1);
    run(async {
        broker.produce(0, ["a".to_owned()]).await;
        // A consumer asks for its group too, and then now and then finds back by itself: hence four.
        let mut sources = ["1", "2", "3", "4"].map(|group| {
            let cluster = Signpost::towards(&broker).cluster();
            Running::start_on(&cluster, SourceSettings::new(TOPIC, group), WINDOW)
        });
        for source in &mut sources {
            assert_eq!(position_prefix(&source.take(1).await[0]), (0, 0));
        }
    });
}
