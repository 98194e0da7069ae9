//! The NATS server that `scripts/brokers` starts, and streams on it.

use std::future::IntoFuture;
use std::iter;
use std::time::Duration;

use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::{self, stream};
use async_nats::{HeaderMap, HeaderName, HeaderValue};
use cloudevents_nl_codec::{ContentMode, Decoder, Header, HeaderList, KAFKA, NATS};
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::paced::Pace;
use crate::roll_call::RollCall;
use crate::traffic::{self, PARTITIONS, Traffic};

/// Names the key for the bare pipes, which do not look into events; the bridge reads it as the
/// attribute `partitionkey`.
pub(crate) const KEY_HEADER: &str = "ce-partitionkey";

/// Publishes without acknowledgement at any time, while a stream is filled.
const UNACKNOWLEDGED: usize = 512;

/// A connection, and the runtime it lives on.
pub(crate) struct Nats {
    pub(crate) server: String,
    runtime: Handle,
    context: jetstream::Context,
}

/// The running server, or the end of this process with a remedy.
pub(crate) fn nats() -> Nats {
    let server = format!("127.0.0.1:{}", crate::kafka::port("NATS_PORT", 4));
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let connected =
        runtime.block_on(async { async_nats::connect(&server).await.map(jetstream::new) });
    let Ok(mut context) = connected else {
        eprintln!("route: no NATS server answers on {server}; run `scripts/brokers up` first");
        std::process::exit(1);
    };
    // A disk that takes what was written before keeps the server waiting.
    context.set_timeout(Duration::from_secs(60));
    let handle = runtime.handle().clone();
    // Between its turns the connection answers the server all the same.
    std::thread::spawn(move || runtime.block_on(std::future::pending::<()>()));
    Nats {
        server,
        runtime: handle,
        context,
    }
}

impl Nats {
    /// Creates an empty stream in files whose name begins with `prefix`. Its subject is its name, and it
    /// has one more for each part in which processes may share it.
    pub(crate) fn create_stream(&self, prefix: &str) -> String {
        let name = format!("{prefix}-{:012x}", fastrand::u64(..1 << 48));
        let config = stream::Config {
            name: name.clone(),
            subjects: iter::once(name.clone())
                .chain((0..PARTITIONS).map(|part| format!("{name}-{part}")))
                .collect(),
            // Nothing here is sent twice, and the server's own table of ids costs it memory.
            duplicate_window: Duration::from_secs(120),
            ..stream::Config::default()
        };
        let created = self.runtime.block_on(self.context.create_stream(config));
        created.expect("a new name");
        name
    }

    pub(crate) fn delete_stream(&self, name: &str) {
        let deleted = self.runtime.block_on(self.context.delete_stream(name));
        deleted.expect("the server answers");
    }

    /// Messages in the stream.
    pub(crate) fn len(&self, stream: &str) -> usize {
        let info = self.runtime.block_on(async {
            let mut stream = self.context.get_stream(stream).await.expect("it is there");
            stream.info().await.expect("the server answers").clone()
        });
        usize::try_from(info.state.messages).expect("it fits")
    }

    /// Writes the events of these numbers in binary mode.
    pub(crate) fn write(
        &self,
        subject: impl Fn(usize) -> String,
        traffic: &Traffic,
        numbers: impl Iterator<Item = usize>,
        pace: Option<Pace>,
    ) -> Vec<Instant> {
        let mut written = Vec::with_capacity(numbers.size_hint().0);
        self.runtime.block_on(async {
            let mut acknowledgements = FuturesUnordered::new();
            for number in numbers {
                if let Some(pace) = pace {
                    tokio::time::sleep_until(pace.due(written.len())).await;
                }
                let (headers, body) = message(traffic, number);
                written.push(Instant::now());
                let published = self
                    .context
                    .publish_with_headers(subject(number), headers, body.into())
                    .await;
                acknowledgements.push(published.expect("the server answers").into_future());
                if acknowledgements.len() >= UNACKNOWLEDGED {
                    let stored = acknowledgements.next().await.expect("there are some");
                    stored.expect("stored");
                }
            }
            while let Some(stored) = acknowledgements.next().await {
                stored.expect("stored");
            }
        });
        written
    }

    /// Reads a stream from its start until nobody is missing.
    pub(crate) fn read(&self, stream: &str, mut roll_call: RollCall) -> RollCall {
        self.runtime.block_on(async {
            let stream = self.context.get_stream(stream).await.expect("it is there");
            let consumer = stream.create_consumer(OrderedConfig::default()).await;
            let consumer = consumer.expect("an ordered consumer");
            let mut messages = consumer.messages().await.expect("the server answers");
            while !roll_call.is_complete() {
                let next = tokio::time::timeout(Duration::from_secs(10), messages.next());
                let Ok(Some(message)) = next.await else { break };
                let message = message.expect("the server answers");
                roll_call.note(number(&message).expect("an event of this benchmark"));
            }
        });
        roll_call
    }
}

/// The event as the codec writes it for NATS, with its key as `partitionkey`.
fn message(traffic: &Traffic, number: usize) -> (HeaderMap, Vec<u8>) {
    let (headers, body) = traffic.binary(number);
    let headers = headers
        .iter()
        .map(|(name, value)| Header::from((name, value)));
    let event = Decoder::default().decode(&KAFKA, headers, Some(body.as_bytes()));
    let event = event.expect("the corpus is valid");
    let mut list = HeaderList::default();
    let body = cloudevents_nl_codec::encode(&event, &NATS, ContentMode::Binary, list.sink());
    let body = body.expect("binary mode carries it").unwrap_or_default();
    let mut map = HeaderMap::new();
    let key = traffic.key(number);
    let headers = list
        .iter()
        .map(|header| (header.name, header.value.unwrap_or_default()))
        .chain([(KEY_HEADER, key.as_bytes())]);
    for (name, value) in headers {
        let value = str::from_utf8(value).expect("the codec writes ASCII");
        map.append(
            name.parse::<HeaderName>().expect("a header name"),
            value.parse::<HeaderValue>().expect("one line"),
        );
    }
    (map, body.into_owned())
}

fn number(message: &jetstream::Message) -> Option<usize> {
    let headers = message.headers.as_ref();
    let id = headers.and_then(|headers| headers.get("ce-id"));
    traffic::number(id.map_or(&*message.payload, |id| id.as_str().as_bytes()))
}
