//! The programs in `codec/examples` do what they say, on real brokers.

use bytes::Bytes;
use cloudevents_nl_codec::{
    ContentMode, Decoder, Event, NATS, STRUCTURED_JSON, encode, encode_structured,
};
use futures_util::StreamExt;
use rdkafka::ClientConfig;
use rdkafka::consumer::{Consumer, StreamConsumer};
use rdkafka::message::Message;
use rdkafka::producer::FutureProducer;
use tokio::time::timeout;

use crate::support::brokers;
use crate::support::kafka::{Record, Topic};
use crate::support::wait::SOON;

#[path = "../../../codec/examples/kafka_consumer.rs"]
#[allow(dead_code, reason = "its main never ends")]
mod kafka_consumer;
#[path = "../../../codec/examples/kafka_producer.rs"]
#[allow(dead_code, reason = "its main reads arguments")]
mod kafka_producer;
#[path = "../../../codec/examples/nats_responder.rs"]
#[allow(dead_code, reason = "its main never ends")]
mod nats_responder;

fn zaak(id: &str) -> Event<'_> {
    Event::new(id, "/zaken", "nl.example.geopend")
        .unwrap()
        .with_subject("Súdwest 99%")
        .unwrap()
}

fn structured(event: &Event<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    encode_structured(event, &mut text);
    text
}

#[tokio::test]
async fn the_kafka_programs_read_what_they_write_and_what_others_write() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "programs").await;
    let mut config = ClientConfig::new();
    config
        .set("bootstrap.servers", &topic.brokers)
        .set("group.id", &topic.name)
        .set("auto.offset.reset", "earliest");
    let producer: FutureProducer = config.create().unwrap();
    let written = zaak("1").with_extension("partitionkey", "k").unwrap();
    let sent = kafka_producer::send(&producer, &topic.name, &written);
    timeout(SOON, sent).await.unwrap().unwrap();
    let text = structured(&zaak("2"));
    let other = Record::new(Some("k"), Some(&text)).header("content-type", STRUCTURED_JSON);
    topic
        .write([other, Record::new(Some("k"), Some(b"hoi"))])
        .await;

    let consumer: StreamConsumer = config.create().unwrap();
    consumer.subscribe(&[&topic.name]).unwrap();
    let mut events = Vec::new();
    let mut refused = Vec::new();
    for _ in 0..3 {
        let record = timeout(SOON, consumer.recv()).await.unwrap().unwrap();
        assert_eq!(record.key(), Some(&b"k"[..]));
        match kafka_consumer::read(&record) {
            Ok(event) => events.push(event.into_owned()),
            Err(error) => refused.push(error.to_string()),
        }
    }
    events.sort_by(|one, other| one.id().cmp(other.id()));
    assert_eq!(events, [written, zaak("2")]);
    assert!(refused[0].contains("not a CloudEvent"), "{refused:?}");
}

#[tokio::test]
async fn the_nats_program_answers_events_of_every_mode() {
    let client = async_nats::connect(brokers::nats()).await.unwrap();
    let subject = format!("live.clerk.{}", std::process::id());
    let mut subscriber = client.subscribe(subject.clone()).await.unwrap();
    let answering = client.clone();
    let clerk = async move {
        for _ in 0..2 {
            let request = subscriber.next().await.unwrap();
            nats_responder::answer(&answering, request).await.unwrap();
        }
    };
    let asking = async {
        let mut headers = async_nats::HeaderMap::new();
        encode(&zaak("1"), &NATS, ContentMode::Binary, |name, value| {
            headers.insert(name, value);
        })
        .unwrap();
        let request = client.request_with_headers(subject.clone(), headers, Bytes::new());
        hold(&request.await.unwrap(), "1");
        // Senders of the older binding know no headers.
        let text = structured(&zaak("2"));
        let request = client.request(subject.clone(), text.into());
        hold(&request.await.unwrap(), "2");
    };
    timeout(SOON, async { tokio::join!(clerk, asking) })
        .await
        .unwrap();
}

/// The answer is an event of that id in structured mode.
fn hold(answer: &async_nats::Message, expected: &str) {
    let headers = answer.headers.as_ref().unwrap();
    assert_eq!(
        headers.get("Content-Type").unwrap().as_str(),
        STRUCTURED_JSON
    );
    let event = Decoder::default()
        .decode_structured(&answer.payload)
        .unwrap();
    assert_eq!((event.id(), event.ty()), (expected, "nl.example.ontvangen"));
}
