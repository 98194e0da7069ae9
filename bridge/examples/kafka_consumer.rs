//! A Kafka consumer that embeds the codec: it takes the events of a topic, in whatever mode they come,
//! and writes a receipt for each, in binary mode under the same record key.
//!
//! ```text
//! cargo run -p cloudevents-nl-bridge --example kafka_consumer -- 127.0.0.1:19092 zaken receipts
//! ```

use std::error::Error;
use std::{env, mem};

use cloudevents_nl_codec::{Decoder, Event, Header, HeaderSink, JsonText, KAFKA, encode_binary};
use rdkafka::consumer::{CommitMode, Consumer, StreamConsumer};
use rdkafka::message::{Headers, Message as _, OwnedHeaders};
use rdkafka::producer::{FutureProducer, FutureRecord};
use rdkafka::util::Timeout;
use rdkafka::{ClientConfig, message};

/// Headers of a record, straight from the codec.
#[derive(Default)]
struct RecordHeaders(OwnedHeaders);

impl HeaderSink for RecordHeaders {
    fn header(&mut self, key: &str, value: &str) {
        let value = Some(value);
        self.0 = mem::take(&mut self.0).insert(message::Header { key, value });
    }
}

/// Where events are read, and where receipts go.
pub(crate) struct Clerk {
    consumer: StreamConsumer,
    producer: FutureProducer,
    receipts: String,
}

impl Clerk {
    pub(crate) fn new(brokers: &str, topic: &str, receipts: &str) -> Result<Self, Box<dyn Error>> {
        let mut config = ClientConfig::new();
        config
            .set("bootstrap.servers", brokers)
            .set("group.id", format!("clerk-of-{topic}"))
            .set("enable.auto.commit", "false")
            .set("auto.offset.reset", "earliest");
        let consumer: StreamConsumer = config.create()?;
        consumer.subscribe(&[topic])?;
        Ok(Self {
            consumer,
            producer: config.create()?,
            receipts: receipts.to_owned(),
        })
    }

    /// Takes one record. It is committed once the broker has the receipt; a record that holds no event
    /// is not, so that nothing is lost before you have decided what becomes of such records.
    pub(crate) async fn take(&self) -> Result<(), Box<dyn Error>> {
        let record = self.consumer.recv().await?;
        let headers = record.headers().into_iter().flat_map(Headers::iter);
        let headers = headers.map(|header| Header {
            name: header.key,
            value: header.value,
        });
        let event = Decoder::default().decode(&KAFKA, headers, record.payload())?;
        let receipt = receipt(&event)?;
        let mut headers = RecordHeaders::default();
        let body = encode_binary(&receipt, &KAFKA, &mut headers)?;
        let written = FutureRecord {
            topic: &self.receipts,
            partition: None,
            payload: body.as_deref(),
            key: record.key(),
            timestamp: None,
            headers: Some(headers.0),
        };
        let delivery = self.producer.send(written, Timeout::Never).await;
        delivery.map_err(|(error, _)| error)?;
        self.consumer.commit_message(&record, CommitMode::Sync)?;
        Ok(())
    }
}

fn receipt(event: &Event<'_>) -> Result<Event<'static>, Box<dyn Error>> {
    let id = format!("receipt-of-{}", event.id());
    let receipt = Event::new(id, "/clerk", "nl.example.ontvangen")?;
    Ok(receipt.with_json(JsonText::of_value(&(event.source(), event.id()))?))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [brokers, topic, receipts] = arguments.as_slice() else {
        return Err("usage: kafka_consumer BROKERS TOPIC RECEIPTS".into());
    };
    let clerk = Clerk::new(brokers, topic, receipts)?;
    loop {
        clerk.take().await?;
    }
}
