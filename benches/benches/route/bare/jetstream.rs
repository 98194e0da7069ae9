//! The JetStream side of bare pipes.

use std::time::Duration;

use async_nats::jetstream::consumer::pull::{Config, Stream};
use async_nats::jetstream::consumer::{AckPolicy, Consumer};
use async_nats::jetstream::{self, Context};
use bytes::Bytes;

use super::WINDOW;
use crate::nats::KEY_HEADER;

pub(super) async fn context(server: &str) -> Context {
    jetstream::new(
        async_nats::connect(server)
            .await
            .expect("the server answers"),
    )
}

/// The messages of a stream, each to be acknowledged, as a new durable consumer gets them.
pub(super) async fn messages(server: &str, stream: &str, durable: &str) -> Stream {
    let stream = context(server).await.get_stream(stream).await;
    let config = Config {
        durable_name: Some(durable.to_owned()),
        ack_policy: AckPolicy::Explicit,
        max_ack_pending: i64::try_from(WINDOW).expect("a small number"),
        ..Config::default()
    };
    let consumer: Consumer<Config> = stream
        .expect("the stream is there")
        .create_consumer(config)
        .await
        .expect("a new name");
    let messages = consumer
        .stream()
        .max_messages_per_batch(WINDOW)
        .heartbeat(Duration::from_secs(5))
        .messages();
    messages.await.expect("the server answers")
}

/// The key that the filler of the stream gave an event.
pub(super) fn key(message: &jetstream::Message) -> Bytes {
    let headers = message.headers.as_ref();
    let key = headers.and_then(|headers| headers.get(KEY_HEADER));
    Bytes::copy_from_slice(key.map_or("", |key| key.as_str()).as_bytes())
}

/// Headers as name and value.
pub(super) fn headers(message: &jetstream::Message) -> impl Iterator<Item = (&str, &[u8])> {
    let headers = message.headers.iter().flat_map(|headers| headers.iter());
    headers.flat_map(|(name, values)| {
        let name: &str = name.as_ref();
        values
            .iter()
            .map(move |value| (name, value.as_str().as_bytes()))
    })
}
