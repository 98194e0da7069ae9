//! JetStream → Kafka: renames headers, copies the payload, acknowledges each message when Kafka has.
//!
//! The producer keeps the order of what it is given, so no event waits for an earlier one.

use futures_util::stream::{FuturesUnordered, StreamExt};
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::FutureRecord;

use super::{WINDOW, ends, jetstream, kafka};

pub(super) async fn run(arguments: &[String]) {
    let [server, stream, durable, brokers, topic] = ends(arguments);
    let mut messages = jetstream::messages(server, stream, durable).await;
    let producer = kafka::producer(brokers, &[]);
    let mut reports = FuturesUnordered::new();
    loop {
        tokio::select! {
            biased;
            Some(message) = reports.next(), if !reports.is_empty() => {
                let message: async_nats::jetstream::Message = message;
                message.ack().await.expect("the server answers");
            }
            Some(message) = messages.next(), if reports.len() < WINDOW => {
                let message = message.expect("the server answers");
                let key = jetstream::key(&message);
                let record = FutureRecord::to(topic)
                    .payload(&*message.payload)
                    .key(&*key)
                    .headers(headers(&message));
                let report = producer.send_result(record).map_err(|(error, _)| error);
                let report = report.expect("a window of events does not fill the queue");
                reports.push(async move {
                    let report = report.await.expect("the producer lives");
                    report.map_err(|(error, _)| error).expect("acknowledged");
                    message
                });
            }
        }
    }
}

fn headers(message: &async_nats::jetstream::Message) -> OwnedHeaders {
    let all = jetstream::headers(message);
    all.fold(
        OwnedHeaders::new_with_capacity(16),
        |list, (name, value)| {
            let renamed;
            let key = match name.strip_prefix("ce-") {
                Some("datacontenttype") => "content-type",
                Some(attribute) => {
                    renamed = format!("ce_{attribute}");
                    &renamed
                }
                None => name,
            };
            list.insert(Header {
                key,
                value: Some(value),
            })
        },
    )
}
