//! Kafka → webhook: renames headers, copies the payload.

use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{FuturesUnordered, StreamExt};
use http_body_util::Full;
use hyper::{Request, Uri};
use rdkafka::message::{BorrowedMessage, Headers, Message};

use super::kafka::{self, Place, Windows};
use super::lanes::Lanes;
use super::{WINDOW, ends, posts};

pub(super) async fn run(arguments: &[String]) {
    let [brokers, topic, group, url] = ends(arguments);
    let consumer = kafka::consumer(brokers, topic, group);
    let url: Uri = url.parse().expect("a URL");
    let mut idle = posts::connections(&url).await;
    let (mut lanes, mut windows) = (Lanes::default(), Windows::default());
    let mut exchanges = FuturesUnordered::new();
    let mut commit = tokio::time::interval(Duration::from_millis(200));
    loop {
        while !lanes.ready.is_empty()
            && let Some(connection) = idle.pop()
        {
            let (key, (place, request)) = lanes.ready.pop_front().expect("it is not empty");
            exchanges.push(posts::exchange(connection, request, (place, key)));
        }
        let outstanding = exchanges.len() + lanes.len();
        tokio::select! {
            biased;
            Some((connection, (place, key))) = exchanges.next(), if !exchanges.is_empty() => {
                idle.push(connection);
                lanes.release(&key);
                windows.settle(place);
            }
            message = consumer.recv(), if outstanding < WINDOW => {
                let message = message.expect("the broker answers");
                let place = Place::of(&message);
                windows.take(place);
                let key = Bytes::copy_from_slice(message.key().unwrap_or_default());
                lanes.push(key, (place, request(&message, &url)));
            }
            _ = commit.tick() => windows.commit(&consumer, topic),
        }
    }
}

fn request(message: &BorrowedMessage<'_>, url: &Uri) -> Request<Full<Bytes>> {
    let headers = message.headers().into_iter().flat_map(Headers::iter);
    let headers = headers.map(|header| (header.key, header.value.unwrap_or_default()));
    let payload = Bytes::copy_from_slice(message.payload().unwrap_or_default());
    posts::request(url, headers, payload)
}
