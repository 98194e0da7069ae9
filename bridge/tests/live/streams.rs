//! JetStream streams, and messages written and read with a plain client.

use std::sync::atomic::{AtomicU32, Ordering};

use async_nats::jetstream::stream::{Config, Stream as Handle};
use async_nats::{Client, jetstream};

use super::wait::{SOON, eventually};

/// `[nats.main]`.
pub(crate) fn connection(server: &str) -> String {
    format!("[nats.main]\nservers = \"{server}\"\n")
}

/// A stream of this test alone, and the one subject that it listens on.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) name: String,
    pub(crate) subject: String,
    pub(crate) client: Client,
}

/// A message of a stream.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) payload: Vec<u8>,
}

impl Stored {
    /// The value of the only header of that name.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let values = self.texts(name);
        assert!(values.len() < 2, "{name} is there {} times", values.len());
        values.first().copied()
    }

    /// The values of a header, in order.
    pub(crate) fn texts(&self, name: &str) -> Vec<&str> {
        let values = self.headers.iter().filter(|(other, _)| other == name);
        values.map(|(_, value)| value.as_str()).collect()
    }
}

impl Stream {
    /// A name and a subject that no stream has yet.
    pub(crate) async fn named(server: &str, word: &str) -> Self {
        static COUNTER: AtomicU32 = AtomicU32::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let moment = jiff::Timestamp::now().as_second() % 1_000_000;
        let process = std::process::id();
        Self {
            name: format!("live-{process}-{moment}-{number}-{word}"),
            subject: format!("live.{process}.{moment}.{number}.{word}"),
            client: async_nats::connect(server).await.unwrap(),
        }
    }

    /// Creates a stream whose name holds `word`.
    pub(crate) async fn create(server: &str, word: &str) -> Self {
        let stream = Self::named(server, word).await;
        stream.make(Config::default()).await;
        stream
    }

    /// Makes the stream, on disk unless `config` says otherwise.
    pub(crate) async fn make(&self, config: Config) {
        let config = Config {
            name: self.name.clone(),
            subjects: vec![self.subject.clone()],
            ..config
        };
        let context = jetstream::new(self.client.clone());
        context.create_stream(config).await.unwrap();
    }

    async fn handle(&self) -> Handle {
        // A server that is stopped and started meanwhile may leave a question unanswered.
        let context = jetstream::new(self.client.clone());
        eventually("the stream can be read", SOON, async || {
            context.get_stream(&self.name).await.ok()
        })
        .await
    }

    /// Writes a message, and waits until it is stored.
    pub(crate) async fn write(&self, headers: &[(String, String)], payload: Vec<u8>) {
        let mut map = async_nats::HeaderMap::new();
        for (name, value) in headers {
            map.append(
                name.parse::<async_nats::HeaderName>().unwrap(),
                value.parse::<async_nats::HeaderValue>().unwrap(),
            );
        }
        let context = jetstream::new(self.client.clone());
        let subject = self.subject.clone();
        let published = context.publish_with_headers(subject, map, payload.into());
        published.await.unwrap().await.unwrap();
    }

    /// Messages that it holds.
    pub(crate) async fn len(&self) -> usize {
        let handle = self.handle().await;
        usize::try_from(handle.cached_info().state.messages).unwrap()
    }

    /// All of them, in order.
    pub(crate) async fn read(&self) -> Vec<Stored> {
        let handle = self.handle().await;
        let state = &handle.cached_info().state;
        let mut messages = Vec::new();
        for sequence in state.first_sequence..=state.last_sequence {
            let message = handle.get_raw_message(sequence).await.unwrap();
            messages.push(Stored {
                headers: pairs(&message.headers),
                payload: message.payload.to_vec(),
            });
        }
        messages
    }
}

/// Header names and values.
pub(crate) fn pairs(headers: &async_nats::HeaderMap) -> Vec<(String, String)> {
    let pairs = headers.iter().flat_map(|(name, values)| {
        let pair = move |value: &async_nats::HeaderValue| (name.to_string(), value.to_string());
        values.iter().map(pair)
    });
    pairs.collect()
}
