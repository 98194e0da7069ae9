//! A sink whose broker stops, and says on its way out that there is no broker.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use super::{Broker, Cluster, Connection, TOPIC, run, until};
use crate::outcome::Outcome;
use crate::transport::Sink;
use crate::transport::kafka::{KafkaSink, Pace, SinkSettings};

/// A broker that answers questions about brokers and topics, and nothing else.
#[derive(Clone)]
struct Signpost {
    address: SocketAddr,
    answers: Arc<AtomicUsize>,
    connections: Arc<AtomicUsize>,
    /// The port of the broker that it names; 0 as long as there is none.
    named: Arc<AtomicUsize>,
}

const API_VERSIONS: i16 = 18;
const METADATA: i16 = 3;
/// What it claims to know: enough for an idempotent producer.
const KNOWN: [(i16, i16, i16); 5] = [
    (0, 3, 3),
    (1, 4, 4),
    (METADATA, 1, 1),
    (API_VERSIONS, 0, 0),
    (22, 0, 0),
];
const UNSUPPORTED_VERSION: i16 = 35;
const LEADER_NOT_AVAILABLE: i16 = 5;

impl Signpost {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let signpost = Self {
            address: listener.local_addr().unwrap(),
            answers: Arc::default(),
            connections: Arc::default(),
            named: Arc::default(),
        };
        let own = signpost.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                own.connections.fetch_add(1, Ordering::Relaxed);
                let own = own.clone();
                // It ends when either side leaves.
                std::thread::spawn(move || own.serve(stream).ok());
            }
        });
        signpost
    }

    fn serve(&self, mut stream: TcpStream) -> io::Result<()> {
        loop {
            let mut size = [0; 4];
            stream.read_exact(&mut size)?;
            let mut request = vec![0; u32::from_be_bytes(size) as usize];
            stream.read_exact(&mut request)?;
            let number = |at: usize| i16::from_be_bytes([request[at], request[at + 1]]);
            let mut answer = request[4..8].to_vec();
            match (number(0), number(2)) {
                (API_VERSIONS, version) => {
                    let error = if version == 0 { 0 } else { UNSUPPORTED_VERSION };
                    answer.extend(error.to_be_bytes());
                    answer.extend((KNOWN.len() as i32).to_be_bytes());
                    let numbers = KNOWN
                        .into_iter()
                        .flat_map(|(key, min, max)| [key, min, max]);
                    answer.extend(numbers.flat_map(i16::to_be_bytes));
                }
                (METADATA, _) => answer.extend(self.metadata()),
                _ => return Ok(()),
            }
            stream.write_all(&(answer.len() as u32).to_be_bytes())?;
            stream.write_all(&answer)?;
            // A broker that stops closes behind its last answer.
            let is_last = self.answers.load(Ordering::Relaxed) > 1;
            if number(0) == METADATA && is_last && self.named.load(Ordering::Relaxed) == 0 {
                return Ok(());
            }
        }
    }

    /// First itself; then nobody; at last the broker that came.
    fn metadata(&self) -> Vec<u8> {
        let is_first = self.answers.fetch_add(1, Ordering::Relaxed) == 0;
        let broker = match self.named.load(Ordering::Relaxed) {
            0 => is_first.then_some(i32::from(self.address.port())),
            port => Some(port as i32),
        };
        let is_led = !is_first && broker.is_some();
        let (error, leader) = if is_led {
            (0, 1)
        } else {
            (LEADER_NOT_AVAILABLE, -1)
        };
        let mut answer = i32::from(broker.is_some()).to_be_bytes().to_vec();
        if let Some(port) = broker {
            answer.extend(1_i32.to_be_bytes());
            answer.extend(text("127.0.0.1"));
            answer.extend(port.to_be_bytes());
            // No rack.
            answer.extend((-1_i16).to_be_bytes());
        }
        // The controller, and one topic without an error of its own.
        answer.extend((-1_i32).to_be_bytes());
        answer.extend(1_i32.to_be_bytes());
        answer.extend(0_i16.to_be_bytes());
        answer.extend(text(TOPIC));
        answer.push(0);
        // One partition, with one replica, in sync.
        answer.extend(1_i32.to_be_bytes());
        answer.extend(error.to_be_bytes());
        for number in [0, leader, 1, 1, 1, 1] {
            answer.extend(i32::to_be_bytes(number));
        }
        answer
    }

    /// Waits until nobody has come for longer than a client pauses between two attempts.
    async fn is_forsaken(&self) {
        let mut came = 0;
        until("nobody comes any more", async || {
            let before = std::mem::replace(&mut came, self.connections.load(Ordering::Relaxed));
            sleep(Duration::from_millis(900)).await;
            before > 1 && before == came
        })
        .await;
    }
}

fn text(text: &str) -> Vec<u8> {
    let size = i16::try_from(text.len()).unwrap();
    [&size.to_be_bytes(), text.as_bytes()].concat()
}

#[test]
fn mock_a_sink_finds_back_after_a_broker_that_named_none() {
    let broker = Broker::new(1);
    let signpost = Signpost::start();
    let connection = Connection {
        brokers: signpost.address.to_string(),
        properties: Default::default(),
        instance: None,
        secrets: Default::default(),
    };
    let cluster: Cluster = connection.prove(super::super::read_secret).unwrap();
    run(async {
        let settings = SinkSettings::new(TOPIC);
        let sink = KafkaSink::new(&cluster, &settings, Pace::Answering).unwrap();
        let first = tokio::task::spawn_local(sink.send(vec![super::sink_mock::event("a")]));
        signpost.is_forsaken().await;
        let port = broker.mock.bootstrap_servers();
        let port = port.rsplit(':').next().unwrap().parse().unwrap();
        signpost.named.store(port, Ordering::Relaxed);
        until("the sink finds back", async || {
            sink.send(vec![super::sink_mock::event("b")]).await == Outcome::Delivered
        })
        .await;
        assert!(matches!(first.await.unwrap(), Outcome::Unreachable(_)));
    });
}
