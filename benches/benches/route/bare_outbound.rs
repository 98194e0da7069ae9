//! The bare pipe from Kafka to a webhook: renames headers, copies the payload, carries
//! acknowledgement through.
//!
//! It keeps order per key and commits only below what is not delivered, as any pipe must that may
//! be compared with one that promises this; it decodes, checks, retries and reports nothing.

use std::collections::{HashMap, HashSet, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{FuturesUnordered, StreamExt};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::{Request, Uri};
use hyper_util::rt::TokioIo;
use rdkafka::config::ClientConfig;
use rdkafka::consumer::{CommitMode, Consumer, StreamConsumer};
use rdkafka::message::{BorrowedMessage, Headers, Message};
use rdkafka::{Offset, TopicPartitionList};
use tokio::net::TcpStream;

/// The argument that gives this program this role; then brokers, topic, group and URL.
pub(crate) const ROLE: &str = "--bare-outbound";

/// Connections, and so requests in flight.
const CONNECTIONS: usize = 64;

/// Events taken and not yet delivered, those that wait for their key included.
const WINDOW: usize = 1000;

pub(crate) fn main(arguments: &[String]) {
    let [brokers, topic, group, url] = arguments else {
        panic!("{ROLE} BROKERS TOPIC GROUP URL")
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(async {
        let consumer: StreamConsumer = ClientConfig::new()
            .set("bootstrap.servers", brokers)
            .set("group.id", group)
            .set("auto.offset.reset", "earliest")
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("fetch.queue.backoff.ms", "5")
            .create()
            .expect("a consumer");
        consumer.subscribe(&[topic]).expect("a topic name");
        carry(&consumer, topic, &url.parse().expect("a URL")).await;
    });
}

async fn carry(consumer: &StreamConsumer, topic: &str, url: &Uri) {
    let mut idle = Vec::new();
    for _ in 0..CONNECTIONS {
        idle.push(connect(url.authority().expect("an address").as_str()).await);
    }
    let (mut lanes, mut windows) = (Lanes::default(), HashMap::<i32, Window>::new());
    let mut exchanges = FuturesUnordered::new();
    let mut commit = tokio::time::interval(Duration::from_millis(200));
    loop {
        while let (true, Some(_)) = (!lanes.ready.is_empty(), idle.last()) {
            let (record, connection) = (lanes.ready.pop_front(), idle.pop());
            let (record, connection) = record.zip(connection).expect("both were seen");
            exchanges.push(exchange(connection, record));
        }
        let outstanding = exchanges.len() + lanes.len();
        tokio::select! {
            biased;
            Some((connection, place, key)) = exchanges.next(), if !exchanges.is_empty() => {
                idle.push(connection);
                lanes.release(&key);
                windows.entry(place.partition).or_default().settle(place.offset);
            }
            message = consumer.recv(), if outstanding < WINDOW => {
                let message = message.expect("the broker answers");
                windows.entry(message.partition()).or_default().take(message.offset());
                lanes.push(Record::new(&message, url));
            }
            _ = commit.tick() => {
                let mut list = TopicPartitionList::new();
                for (partition, window) in &mut windows {
                    if let Some(offset) = window.moved() {
                        list.add_partition_offset(topic, *partition, Offset::Offset(offset)).expect("an offset");
                    }
                }
                if list.count() > 0 {
                    consumer.commit(&list, CommitMode::Async).expect("the consumer lives");
                }
            }
        }
    }
}

async fn connect(authority: &str) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(authority)
        .await
        .expect("the receiver listens");
    stream.set_nodelay(true).expect("a TCP socket");
    let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("HTTP/1.1");
    tokio::spawn(connection);
    sender
}

async fn exchange(
    mut connection: SendRequest<Full<Bytes>>,
    record: Record,
) -> (SendRequest<Full<Bytes>>, Place, Bytes) {
    connection.ready().await.expect("the connection stays open");
    let response = connection
        .send_request(record.request)
        .await
        .expect("an answer");
    assert!(
        response.status().is_success(),
        "the receiver takes everything"
    );
    response
        .into_body()
        .collect()
        .await
        .expect("a whole answer");
    (connection, record.place, record.key)
}

#[derive(Clone, Copy)]
struct Place {
    partition: i32,
    offset: i64,
}

struct Record {
    place: Place,
    key: Bytes,
    request: Request<Full<Bytes>>,
}

impl Record {
    fn new(message: &BorrowedMessage<'_>, url: &Uri) -> Self {
        let payload = Bytes::copy_from_slice(message.payload().unwrap_or_default());
        let mut request =
            Request::post(url.path()).header("host", url.authority().expect("an address").as_str());
        for header in message.headers().into_iter().flat_map(Headers::iter) {
            let value = header.value.unwrap_or_default();
            request = match header.key.strip_prefix("ce_") {
                Some(name) => request.header(format!("ce-{name}"), value),
                None => request.header(header.key, value),
            };
        }
        Self {
            place: Place {
                partition: message.partition(),
                offset: message.offset(),
            },
            key: Bytes::copy_from_slice(message.key().unwrap_or_default()),
            request: request
                .body(Full::new(payload))
                .expect("headers of the corpus are valid"),
        }
    }
}

/// Holds back an event while an earlier one of its key is under way.
#[derive(Default)]
struct Lanes {
    ready: VecDeque<Record>,
    busy: HashSet<Bytes>,
    waiting: HashMap<Bytes, VecDeque<Record>>,
    held_back: usize,
}

impl Lanes {
    fn push(&mut self, record: Record) {
        if self.busy.insert(record.key.clone()) {
            self.ready.push_back(record);
        } else {
            self.held_back += 1;
            self.waiting
                .entry(record.key.clone())
                .or_default()
                .push_back(record);
        }
    }

    fn release(&mut self, key: &Bytes) {
        let next = self.waiting.get_mut(key).and_then(VecDeque::pop_front);
        if let Some(record) = next {
            self.held_back -= 1;
            self.ready.push_back(record);
        } else {
            self.waiting.remove(key);
            self.busy.remove(key);
        }
    }

    fn len(&self) -> usize {
        self.ready.len() + self.held_back
    }
}

/// The offsets of one partition that are taken, in order, and whether each is delivered.
#[derive(Default)]
struct Window {
    slots: VecDeque<(i64, bool)>,
    committed: Option<i64>,
}

impl Window {
    fn take(&mut self, offset: i64) {
        self.slots.push_back((offset, false));
    }

    fn settle(&mut self, offset: i64) {
        let at = self.slots.partition_point(|(slot, _)| *slot < offset);
        self.slots[at].1 = true;
    }

    /// The offset to commit, if it moved.
    fn moved(&mut self) -> Option<i64> {
        let mut moved = None;
        while let Some((offset, true)) = self.slots.front() {
            moved = Some(offset + 1);
            self.slots.pop_front();
        }
        self.committed = moved.or(self.committed);
        moved
    }
}
