//! Writes an event to a Kafka topic, in binary mode under its partition key.
//!
//! `cargo run -p cloudevents-nl-codec --example kafka_producer -- 127.0.0.1:19092 zaken`

use std::env;
use std::error::Error;

use cloudevents_nl_codec::{ContentMode, Event, KAFKA, Value, encode};
use rdkafka::ClientConfig;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::util::Timeout;

pub(crate) async fn send(
    producer: &FutureProducer,
    topic: &str,
    event: &Event<'_>,
) -> Result<(), Box<dyn Error>> {
    let mut record = FutureRecord::to(topic).headers(OwnedHeaders::new());
    let value = encode(event, &KAFKA, ContentMode::Binary, |key, value| {
        let (value, all) = (Some(value), record.headers.take());
        record.headers = all.map(|all| all.insert(Header { key, value }));
    })?;
    record.payload = value.as_deref();
    record.key = event.extension("partitionkey").and_then(Value::as_str);
    let sent = producer.send(record, Timeout::Never).await;
    sent.map_err(|(error, _)| error)?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (brokers, topic) = (env::args().nth(1), env::args().nth(2));
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", brokers.ok_or("which brokers?")?);
    let event = Event::new("1", "/zaken", "nl.zaken.geopend")?;
    send(&config.create()?, &topic.ok_or("which topic?")?, &event).await
}
