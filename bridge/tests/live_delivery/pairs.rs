//! The other pairs that follow from two sources and two sinks: Kafka to Kafka, and HTTP to HTTP.

use futures_util::future::join;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::client::Client;
use crate::support::events::numbered;
use crate::support::kafka::{Record, Topic};
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings, free_address};
use crate::support::specimens::{Specimen, specimens};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};
use crate::support::wire;

/// What is fetched ahead was divided by fewer: the consumer is made anew, and loses nothing.
#[tokio::test]
async fn partitions_that_are_added_are_read() {
    let broker = brokers::kafka();
    let (from, to, dead) = (
        Topic::create(&broker, "grows").await,
        Topic::create(&broker, "to").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(200, 20);
    from.write(sent[..100].iter().map(|event| event.record(10)))
        .await;
    let route = Route::between_topics(&from, &to, &dead);
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    let arrive = async |count| {
        let all = async || (to.len().await >= count).then_some(());
        eventually("all arrived", 2 * SOON, all).await;
    };
    arrive(100).await;
    from.grow(8).await;
    from.write(sent[100..].iter().map(|event| event.record(10)))
        .await;
    arrive(200).await;
    bridge.says(&["partitions were added"]).await;
    bridge.stop().await;
    let ids = wire::ids(&to.read().await);
    assert_eq!(ids.len(), sent.len(), "lost or repeated");
    assert_eq!(from.lag(&from.name).await, 0);
}

/// Its part of a rate is one of all partitions, also where the broker assigns and has nothing to tell it.
#[tokio::test]
async fn a_process_that_gets_none_of_the_added_partitions_learns_of_them() {
    let broker = brokers::kafka();
    let from = Topic::create_wide(broker.plaintext(), "grows", 3).await;
    let (to, dead) = (
        Topic::create(&broker, "to").await,
        Topic::create(&broker, "dead").await,
    );
    let route = Route::between_topics(&from, &to, &dead);
    let protocol = "[kafka.main.properties]\n\"group.protocol\" = \"consumer\"\n";
    let settings = Settings::with_defaults(&broker).connection(protocol);
    let settings = settings.route(route);
    let one = Bridge::start(&settings).await;
    let other = Bridge::start(&settings.another()).await;
    eventually("each has a part", 2 * SOON, async || {
        let windows = [&one, &other].map(|bridge| bridge.metric("cenl_windows{"));
        let [one, other] = windows;
        let (one, other) = (one.await?, other.await?);
        (one > 0.0 && other > 0.0 && one + other == 3.0).then_some(())
    })
    .await;
    from.grow(4).await;
    for bridge in [&one, &other] {
        bridge.says(&["partitions were added"]).await;
    }
    let sent = numbered(100, 10);
    from.write(sent.iter().map(|event| event.record(10))).await;
    eventually("all arrived", 2 * SOON, async || {
        (to.len().await >= sent.len()).then_some(())
    })
    .await;
    for bridge in [one, other] {
        bridge.stop().await;
    }
    let ids = wire::ids(&to.read().await);
    Verdict::of("grown", &sent, &ids, &[]).is_clean();
}

#[tokio::test]
async fn kafka_to_kafka_keeps_key_time_and_data() {
    join(
        keeps_key_time_and_data("as-received"),
        keeps_key_time_and_data("binary"),
    )
    .await;
}

async fn keeps_key_time_and_data(mode: &str) {
    let broker = brokers::kafka();
    let (from, to, dead) = (
        Topic::create(&broker, "from").await,
        Topic::create(&broker, "to").await,
        Topic::create(&broker, "dead").await,
    );
    let (structured, binary) = (specimens("structured"), specimens("binary"));
    let records = structured
        .iter()
        .map(Specimen::structured_record)
        .chain(binary.iter().map(Specimen::binary_record));
    let records: Vec<_> = records
        .zip(0..)
        .map(|(record, index)| Record {
            key: (index % 3 > 0).then(|| vec![0xff, index]),
            timestamp_ms: Some(1_790_000_000_000 + i64::from(index)),
            ..record
        })
        .collect();
    from.write(records.clone()).await;
    let route = Route::between_topics(&from, &to, &dead).sink(&format!("mode = \"{mode}\""));
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    eventually("all arrived", SOON, async || {
        (to.len().await >= records.len()).then_some(())
    })
    .await;
    bridge.stop().await;
    assert_eq!(from.lag(&from.name).await, 0);
    assert_eq!(dead.len().await, 0);
    let written = to.read().await;
    assert_eq!(written.len(), records.len());
    for (specimen, original) in structured.iter().chain(&binary).zip(&records) {
        let mut found = written.iter();
        let copy = found.find(|record| wire::of_record(record).id() == specimen.id());
        let copy = copy.unwrap();
        specimen.is_equal_to(&wire::of_record(copy), false);
        assert_eq!(copy.timestamp_ms, original.timestamp_ms);
        // Where the record has no key, the attribute that stands for it becomes one.
        let partition_key = || specimen.attributes.get("partitionkey").cloned();
        let key = original.key.clone();
        assert_eq!(
            copy.key,
            key.or_else(|| partition_key().map(String::into_bytes))
        );
    }
    println!(
        "Kafka to Kafka, {mode}: {0} sent, {0} arrived equal, 0 repeats",
        records.len()
    );
}

#[tokio::test]
async fn http_to_http_answers_as_the_receiver_did() {
    let ingress = free_address();
    let receiver = Receiver::start(first([]));
    let settings = Settings::new(&brokers::kafka())
        .listen(ingress)
        .route(Route::between_webhooks("/events", &receiver).source("deadline = \"5s\""));
    let bridge = Bridge::start(&settings).await;
    let client = Client::new(ingress);
    let sent = numbered(100, 5);
    let headers = [("content-type", "application/cloudevents+json")];
    let post = async |body| client.post("/events", &headers, body).await.unwrap();
    for event in &sent {
        let reply = post(event.json(100)).await;
        assert!(reply.status.is_success(), "{}", reply.text());
    }
    Verdict::of("HTTP to HTTP", &sent, &receiver.accepted(), &[]).is_clean();
    // What the receiver refuses for good is 502, and repeating it is no use.
    receiver.follow(always(Answer::Status(400)));
    assert_eq!(post(sent[0].json(100)).await.status, 502);
    // What it cannot take now is 503, and the sender comes back.
    receiver.follow(always(Answer::Status(500)));
    let reply = post(sent[0].json(100)).await;
    assert_eq!(reply.status, 503, "{}", reply.text());
    assert!(reply.header("retry-after").is_some());
    receiver.follow(first([]));
    assert!(post(sent[0].json(100)).await.status.is_success());
    bridge.stop().await;
}
