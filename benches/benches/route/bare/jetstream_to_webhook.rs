//! JetStream → webhook: copies headers, hands the payload on, acknowledges each message.

use futures_util::stream::{FuturesUnordered, StreamExt};
use hyper::Uri;

use super::lanes::Lanes;
use super::{WINDOW, ends, jetstream, posts};

pub(super) async fn run(arguments: &[String]) {
    let [server, stream, durable, url] = ends(arguments);
    let mut messages = jetstream::messages(server, stream, durable).await;
    let url: Uri = url.parse().expect("a URL");
    let mut idle = posts::connections(&url).await;
    let mut lanes = Lanes::default();
    let mut exchanges = FuturesUnordered::new();
    loop {
        while !lanes.ready.is_empty()
            && let Some(connection) = idle.pop()
        {
            let (key, (request, message)) = lanes.ready.pop_front().expect("it is not empty");
            exchanges.push(posts::exchange(connection, request, (message, key)));
        }
        let outstanding = exchanges.len() + lanes.len();
        tokio::select! {
            biased;
            Some((connection, (message, key))) = exchanges.next(), if !exchanges.is_empty() => {
                idle.push(connection);
                lanes.release(&key);
                let message: async_nats::jetstream::Message = message;
                message.ack().await.expect("the server answers");
            }
            Some(message) = messages.next(), if outstanding < WINDOW => {
                let message = message.expect("the server answers");
                let body = message.payload.clone();
                let request = posts::request(&url, jetstream::headers(&message), body);
                lanes.push(jetstream::key(&message), (request, message));
            }
        }
    }
}
