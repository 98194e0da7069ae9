//! Kafka → JetStream: renames headers, copies the payload, commits what the stream has stored.
//!
//! One connection keeps the order of what it is given, so no event waits for an earlier one.

use std::future::IntoFuture;
use std::time::Duration;

use async_nats::{HeaderMap, HeaderName, HeaderValue};
use bytes::Bytes;
use futures_util::stream::{FuturesUnordered, StreamExt};
use rdkafka::message::{BorrowedMessage, Headers, Message};

use super::kafka::{self, Place, Windows};
use super::{WINDOW, ends, jetstream};

pub(super) async fn run(arguments: &[String]) {
    let [brokers, topic, group, server, subject] = ends(arguments);
    let consumer = kafka::consumer(brokers, topic, group);
    let context = jetstream::context(server).await;
    let mut windows = Windows::default();
    let mut acknowledgements = FuturesUnordered::new();
    let mut commit = tokio::time::interval(Duration::from_millis(200));
    loop {
        tokio::select! {
            biased;
            Some(place) = acknowledgements.next(), if !acknowledgements.is_empty() => {
                windows.settle(place);
            }
            message = consumer.recv(), if acknowledgements.len() < WINDOW => {
                let message = message.expect("the broker answers");
                let place = Place::of(&message);
                windows.take(place);
                let payload = Bytes::copy_from_slice(message.payload().unwrap_or_default());
                let published = context
                    .publish_with_headers(subject.to_owned(), headers(&message), payload)
                    .await
                    .expect("the server answers");
                acknowledgements.push(async move {
                    published.into_future().await.expect("stored");
                    place
                });
            }
            _ = commit.tick() => windows.commit(&consumer, topic),
        }
    }
}

fn headers(message: &BorrowedMessage<'_>) -> HeaderMap {
    let mut map = HeaderMap::new();
    for header in message.headers().into_iter().flat_map(Headers::iter) {
        let name = match header.key.strip_prefix("ce_") {
            Some(attribute) => format!("ce-{attribute}"),
            None => "ce-datacontenttype".to_owned(),
        };
        let value = str::from_utf8(header.value.unwrap_or_default()).expect("the corpus is text");
        map.append(
            name.parse::<HeaderName>().expect("a header name"),
            value.parse::<HeaderValue>().expect("one line"),
        );
    }
    map
}
