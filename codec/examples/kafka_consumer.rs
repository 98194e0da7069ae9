//! Prints the events of a Kafka topic, whatever mode they are in, and which records are none: those are passed by.
//!
//! `cargo run -p cloudevents-nl-codec --example kafka_consumer -- 127.0.0.1:19092 zaken`

use std::env;
use std::error::Error;

use cloudevents_nl_codec::{DecodeError, Decoder, Event, Header, KAFKA};
use rdkafka::ClientConfig;
use rdkafka::consumer::{CommitMode, Consumer, StreamConsumer};
use rdkafka::message::{BorrowedMessage, Headers, Message};

/// The event borrows from the record.
pub(crate) fn read<'m>(record: &'m BorrowedMessage<'_>) -> Result<Event<'m>, DecodeError> {
    let headers = record.headers().into_iter().flat_map(Headers::iter);
    let headers = headers.map(|header| Header {
        name: header.key,
        value: header.value,
    });
    Decoder::default().decode(&KAFKA, headers, record.payload())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let (brokers, topic) = (env::args().nth(1), env::args().nth(2));
    let consumer: StreamConsumer = ClientConfig::new()
        .set("bootstrap.servers", brokers.ok_or("which brokers?")?)
        .set("group.id", "reader")
        .set("enable.auto.commit", "false")
        .create()?;
    consumer.subscribe(&[&*topic.ok_or("which topic?")?])?;
    loop {
        let record = consumer.recv().await?;
        match read(&record) {
            Ok(event) => println!("{} {} {}", event.ty(), event.source(), event.id()),
            Err(error) => eprintln!("{}/{}: {error}", record.partition(), record.offset()),
        }
        consumer.commit_message(&record, CommitMode::Async)?;
    }
}
