//! JetStream streams, and messages written and read with a plain client.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_nats::jetstream::consumer::pull::OrderedConfig;
use async_nats::jetstream::stream::Config;
use async_nats::jetstream::{self, Context};
use async_nats::{HeaderMap, HeaderName, HeaderValue};
use futures_util::StreamExt;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(20);

/// A stream of this test alone, over one subject of the same name.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pub(crate) name: String,
    context: Context,
}

/// A message as it lies in a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct NatsMessage {
    /// Each header once; a second value of a name would be a fault, and is kept as `NAME, again`.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Vec<u8>,
}

impl Stream {
    /// Creates a stream whose name holds `word`, at this server.
    pub(crate) async fn create(server: &str, word: &str) -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let moment = jiff::Timestamp::now().as_millisecond() % 1_000_000_000;
        let name = format!("live-{}-{moment}-{number}-{word}", std::process::id());
        let context = jetstream::new(async_nats::connect(server).await.unwrap());
        let config = Config {
            name: name.clone(),
            subjects: vec![name.clone()],
            ..Config::default()
        };
        context.create_stream(config).await.unwrap();
        Self { name, context }
    }

    /// Writes a message, and waits until it is stored.
    pub(crate) async fn write(&self, headers: &[(String, String)], body: Vec<u8>) {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(
                name.parse::<HeaderName>().unwrap(),
                value.parse::<HeaderValue>().unwrap(),
            );
        }
        let published = self
            .context
            .publish_with_headers(self.name.clone(), map, body.into());
        published.await.unwrap().await.unwrap();
    }

    /// How many messages there are.
    pub(crate) async fn len(&self) -> usize {
        let mut stream = self.context.get_stream(&self.name).await.unwrap();
        usize::try_from(stream.info().await.unwrap().state.messages).unwrap()
    }

    /// Every message there is, in order.
    pub(crate) async fn read(&self) -> Vec<NatsMessage> {
        let stream = self.context.get_stream(&self.name).await.unwrap();
        let count = self.len().await;
        let consumer = stream
            .create_consumer(OrderedConfig::default())
            .await
            .unwrap();
        let mut messages = consumer.messages().await.unwrap().take(count);
        let mut read = Vec::with_capacity(count);
        while let Some(message) = timeout(PATIENCE, messages.next()).await.unwrap() {
            let message = message.unwrap().message;
            let mut headers = HashMap::new();
            for (name, values) in message.headers.iter().flat_map(HeaderMap::iter) {
                let mut name = name.to_string();
                for value in values {
                    while headers.contains_key(&name) {
                        name += ", again";
                    }
                    headers.insert(name.clone(), value.as_str().to_owned());
                }
            }
            let body = message.payload.to_vec();
            read.push(NatsMessage { headers, body });
        }
        read
    }
}
