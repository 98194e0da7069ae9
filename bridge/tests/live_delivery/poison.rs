//! Events that can never be delivered: they go to the dead letters, and take nobody with them.

use std::collections::BTreeMap;

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::{Record, Topic};
use crate::support::raw;
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};
use crate::support::wire::{self, Seen};

#[tokio::test]
async fn an_event_that_the_receiver_refuses_goes_to_the_dead_letters_alone() {
    refuses("structured").await;
}

#[tokio::test]
async fn a_refused_batch_is_split_until_the_culprit_stands_alone() {
    refuses("batched").await;
}

async fn refuses(mode: &str) {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "poison").await,
        Topic::create(&broker, "dead").await,
    );
    let is_poison = |event: &Numbered| event.number % 10 == 5;
    let sent = numbered(300, 3);
    topic
        .write(sent.iter().map(|event| event.record(100)))
        .await;
    let script = move |events: &[Seen]| {
        let poisoned =
            |seen: &Seen| Numbered::of_id(seen.id()).is_some_and(|event| is_poison(&event));
        Answer::Status(if events.iter().any(poisoned) {
            400
        } else {
            204
        })
    };
    let receiver = Receiver::start(Box::new(script));
    let route = Route::to_webhook(&topic, &receiver, &dead).sink(&format!("mode = \"{mode}\""));
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    let poisoned = sent.iter().filter(|event| is_poison(event)).count();
    until("the good ones arrived", SOON, || {
        receiver.accepted_count() >= sent.len() - poisoned
    })
    .await;
    dead_letters(&dead, poisoned).await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    let letters = dead.read().await;
    let originals: BTreeMap<_, _> = by_place(topic.read().await);
    for letter in &letters {
        let original = original(letter, &topic, &originals);
        assert_eq!(letter.value, original.value);
        assert_eq!(letter.key, original.key);
        assert_eq!(letter.timestamp_ms, original.timestamp_ms);
        assert_eq!(letter.headers[..original.headers.len()], original.headers);
        let cenl = |name: &str| letter.text(&format!("cenl-{name}")).unwrap();
        assert_eq!(
            (&*cenl("route"), &*cenl("kind"), &*cenl("status")),
            ("to-webhook", "refused", "400")
        );
        assert!(cenl("attempts").parse::<u32>().unwrap() >= 1);
        for name in ["first-attempt", "last-attempt"] {
            cenl(name).parse::<jiff::Timestamp>().unwrap();
        }
        assert!(!cenl("version").is_empty());
    }
    let ids = wire::ids(&letters);
    assert_eq!(ids.len(), poisoned);
    let title = format!("poison, {mode}");
    Verdict::of(&title, &sent, &receiver.accepted(), &ids).is_clean();
}

#[tokio::test]
async fn a_dead_letter_that_cannot_be_written_is_not_given_up() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "poison").await,
        Topic::create(&broker, "dead").await,
    );
    // Dead letters are compressed, so the limit is below any of them.
    dead.limit_records(100).await;
    let sent = numbered(40, 4);
    topic
        .write(sent.iter().map(|event| event.record(4_000)))
        .await;
    let culprit = |id: &str| id == "k0/3";
    let script = move |events: &[Seen]| {
        let is_poisoned = events.iter().any(|event| culprit(event.id()));
        Answer::Status(if is_poisoned { 422 } else { 204 })
    };
    let receiver = Receiver::start(Box::new(script));
    let settings = Settings::new(&broker).route(Route::to_webhook(&topic, &receiver, &dead));
    let bridge = Bridge::start(&settings).await;
    bridge
        .says(&["ERROR", "can never be written", "too-large"])
        .await;
    let others: Vec<_> = sent
        .iter()
        .filter(|event| event.key != "k0")
        .cloned()
        .collect();
    receiver.gets(&others).await;
    // Neither is the event passed over, nor what is behind it in its key.
    assert!(receiver.accepted_count() <= others.len() + 3);
    assert_eq!(dead.len().await, 0);
    assert!(topic.lag(&topic.name).await > 0);
    dead.limit_records(1 << 20).await;
    dead_letters(&dead, 1).await;
    let good: Vec<_> = sent
        .iter()
        .filter(|event| !culprit(&event.id()))
        .cloned()
        .collect();
    receiver.gets(&good).await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    let ids = wire::ids(&dead.read().await);
    Verdict::of(
        "a full dead letter topic",
        &sent,
        &receiver.accepted(),
        &ids,
    )
    .is_clean();
}

#[tokio::test]
async fn what_is_no_event_goes_to_the_dead_letters_raw() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "undecodable").await,
        Topic::create(&broker, "dead").await,
    );
    let good = numbered(40, 1);
    let key = Some("k0");
    let json = "application/cloudevents+json";
    let batch = format!("[{}]", good[0].json(1));
    let culprits = [
        // Neither headers nor JSON, and not UTF-8.
        Record::new(key, Some(&[0x00, 0xff, 0xfe, 0x80])),
        Record::new(key, None),
        Record::new(None, Some(b"")),
        Record::new(key, Some(b"{\"specversion\":\"1.0\",\"id\":")).header("content-type", json),
        Record::new(key, Some(b"\xff\xfe{}")).header("content-type", json),
        Record::new(key, Some(b"{\"specversion\":\"1.0\",\"id\":\"x\"}"))
            .header("content-type", json),
        Record::new(key, Some(batch.as_bytes()))
            .header("content-type", "application/cloudevents-batch+json"),
        Record::new(key, Some(b"x")).header("content-type", "application/cloudevents+avro"),
        // An event in binary mode that lacks its id, with a header that is null.
        Record {
            headers: vec![
                ("ce_specversion".to_owned(), Some(b"1.0".to_vec())),
                ("ce_type".to_owned(), Some(b"t".to_vec())),
                ("ce_id".to_owned(), None),
            ],
            ..Record::new(key, Some(b"{}"))
        },
        good[0].binary_record(1).header("ce_id", "again"),
        Record {
            headers: vec![("ce_id".to_owned(), Some(vec![0xff]))],
            ..good[0].binary_record(1)
        },
    ];
    let mut records: Vec<_> = good.iter().map(|event| event.record(100)).collect();
    for (index, culprit) in culprits.iter().enumerate() {
        records.insert(index * 3 + 1, culprit.clone());
    }
    topic.write(records).await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let settings = Settings::new(&broker).route(Route::to_webhook(&topic, &receiver, &dead));
    let bridge = Bridge::start(&settings).await;
    until("the good ones arrived", SOON, || {
        receiver.accepted_count() >= good.len()
    })
    .await;
    dead_letters(&dead, culprits.len()).await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    Verdict::of("undecodable", &good, &receiver.accepted(), &[]).is_clean();
    let letters = dead.read().await;
    assert_eq!(letters.len(), culprits.len());
    let originals = by_place(topic.read().await);
    for letter in &letters {
        let original = original(letter, &topic, &originals);
        assert_eq!(
            (&letter.value, &letter.key),
            (&original.value, &original.key)
        );
        assert_eq!(letter.headers[..original.headers.len()], original.headers);
        assert_eq!(letter.text("cenl-kind").as_deref(), Some("undecodable"));
        assert!(culprits.iter().any(|culprit| culprit.value == letter.value));
    }
}

#[tokio::test]
async fn a_header_name_that_is_no_text_goes_to_the_dead_letters() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "header").await,
        Topic::create(&broker, "dead").await,
    );
    let good = numbered(40, 8);
    let (before, after) = good.split_at(20);
    topic
        .write(before.iter().map(|event| event.record(50)))
        .await;
    let name = [b'x', 0xff, 0xfe];
    raw::write_with_header(
        &topic.brokers,
        &topic.name,
        (&name, b"v"),
        b"{\"kept\": true}",
    );
    topic
        .write(after.iter().map(|event| event.record(50)))
        .await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let settings = Settings::new(&broker).route(Route::to_webhook(&topic, &receiver, &dead));
    let bridge = Bridge::start(&settings).await;
    until("the good ones arrived", SOON, || {
        receiver.accepted_count() >= good.len()
    })
    .await;
    dead_letters(&dead, 1).await;
    bridge.stop().await;
    assert_eq!(topic.lag(&topic.name).await, 0);
    Verdict::of("header name", &good, &receiver.accepted(), &[]).is_clean();
    let letters = dead.read().await;
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0].value.as_deref(), Some(&b"{\"kept\": true}"[..]));
    assert_eq!(letters[0].text("cenl-kind").as_deref(), Some("undecodable"));
}

async fn dead_letters(dead: &Topic, count: usize) {
    eventually("the others are dead letters", SOON, async || {
        (dead.len().await >= count).then_some(())
    })
    .await;
}

fn by_place(records: Vec<Record>) -> BTreeMap<(i32, i64), Record> {
    records
        .into_iter()
        .map(|record| (record.place, record))
        .collect()
}

/// The record that a dead letter says it was.
fn original<'a>(
    letter: &Record,
    topic: &Topic,
    originals: &'a BTreeMap<(i32, i64), Record>,
) -> &'a Record {
    let source = letter.text("cenl-source").unwrap();
    let place = source
        .strip_prefix(&format!("kafka:{}/", topic.name))
        .unwrap();
    let (partition, offset) = place.split_once('/').unwrap();
    &originals[&(partition.parse().unwrap(), offset.parse().unwrap())]
}
