//! The programs in `bridge/examples` do what they say, on real brokers.

use std::collections::BTreeSet;

use bytes::Bytes;
use cloudevents_nl_codec::{
    Decoded, Decoder, Event, Header, HeaderList, KAFKA, NATS, STRUCTURED_JSON, encode_binary,
    encode_structured,
};
use tokio::time::timeout;

use crate::support::brokers;
use crate::support::kafka::{Record, Topic};
use crate::support::wait::SOON;

#[path = "../../examples/kafka_consumer.rs"]
#[allow(dead_code, reason = "its main never ends")]
mod kafka_consumer;
#[path = "../../examples/nats_subscriber.rs"]
#[allow(dead_code, reason = "its main never ends")]
mod nats_subscriber;

fn zaak(id: &str) -> Event<'_> {
    Event::new(id, "/zaken", "nl.example.geopend")
        .unwrap()
        .with_subject("Súdwest 99%")
        .unwrap()
}

fn structured(event: &Event<'_>) -> Vec<u8> {
    let mut text = Vec::new();
    encode_structured(event, &mut text).unwrap();
    text
}

#[tokio::test]
async fn the_kafka_consumer_gives_a_receipt_for_every_event() {
    let broker = brokers::kafka();
    let topic = Topic::create(&broker, "clerk").await;
    let receipts = Topic::create(&broker, "receipts").await;
    let mut binary = Record::new(Some("k"), None);
    encode_binary(&zaak("1"), &KAFKA, &mut |name: &str, value: &str| {
        binary
            .headers
            .push((name.to_owned(), Some(value.as_bytes().to_vec())));
    })
    .unwrap();
    let text = structured(&zaak("2"));
    let structured = Record::new(Some("k"), Some(&text)).header("content-type", STRUCTURED_JSON);
    topic.write([binary, structured]).await;

    let clerk = kafka_consumer::Clerk::new(&topic.brokers, &topic.name, &receipts.name).unwrap();
    for _ in 0..2 {
        timeout(SOON, clerk.take()).await.unwrap().unwrap();
    }
    assert_eq!(topic.lag(&format!("clerk-of-{}", topic.name)).await, 0);
    let mut ids = BTreeSet::new();
    for record in receipts.read().await {
        assert_eq!(record.key.as_deref(), Some(&b"k"[..]));
        let headers = record.headers.iter().map(|(name, value)| Header {
            name,
            value: value.as_deref(),
        });
        let decoded = Decoder::default().decode_any(&KAFKA, headers, record.value.as_deref());
        let decoded = decoded.unwrap();
        assert!(matches!(decoded, Decoded::Binary(_)));
        for event in decoded.into_events() {
            let [source, id]: [String; 2] = event.data_as().unwrap();
            assert_eq!(source, "/zaken");
            assert_eq!(event.id(), format!("receipt-of-{id}"));
            ids.insert(id);
        }
    }
    assert_eq!(ids, ["1", "2"].map(str::to_owned).into());

    // What is no event is not committed.
    topic.write([Record::new(Some("k"), Some(b"hoi"))]).await;
    let refused = timeout(SOON, clerk.take()).await.unwrap().unwrap_err();
    assert!(
        refused.to_string().contains("not a CloudEvent"),
        "{refused}"
    );
    assert_eq!(topic.lag(&format!("clerk-of-{}", topic.name)).await, 1);
}

#[tokio::test]
async fn the_nats_subscriber_answers_requests_of_every_mode() {
    let client = async_nats::connect(brokers::nats()).await.unwrap();
    let subject = format!("live.clerk.{}", std::process::id());
    let mut subscriber = client.subscribe(subject.clone()).await.unwrap();
    let answering = client.clone();
    let clerk = async move {
        for _ in 0..2 {
            let taken = nats_subscriber::take(&answering, &mut subscriber).await;
            assert_eq!(taken.unwrap(), Some(()));
        }
    };
    let asking = async {
        let mut headers = async_nats::HeaderMap::new();
        encode_binary(&zaak("1"), &NATS, &mut |name: &str, value: &str| {
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

/// The answer is an event in binary mode about the one of that id.
fn hold(answer: &async_nats::Message, expected: &str) {
    let mut list = HeaderList::default();
    for (name, values) in answer.headers.as_ref().unwrap().iter() {
        for value in values {
            list.push(name.as_ref(), Some(value.as_str().as_bytes()));
        }
    }
    let decoded = Decoder::default().decode_any(&NATS, list.iter(), Some(&answer.payload));
    let decoded = decoded.unwrap();
    assert!(matches!(decoded, Decoded::Binary(_)));
    for event in decoded.into_events() {
        let [source, id]: [String; 2] = event.data_as().unwrap();
        assert_eq!((&*source, &*id), ("/zaken", expected));
        assert_eq!(event.datacontenttype(), Some("application/json"));
    }
}
