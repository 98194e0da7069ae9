//! `cenl-bridge replay` between topics, and from a place that routes share.

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command::run;
use crate::support::events::numbered;
use crate::support::kafka::{Record, Topic};
use crate::support::receiver::{Answer, Receiver, always, first};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually};

#[tokio::test]
async fn records_keep_key_and_time_on_their_second_way() {
    let broker = brokers::kafka();
    let (from, to) = (
        Topic::create(&broker, "replay").await,
        Topic::create(&broker, "replay-to").await,
    );
    let dead = Topic::create(&broker, "dead").await;
    to.limit_records(300).await;
    let sent = numbered(60, 6);
    let records = sent.iter().map(|event| Record {
        timestamp_ms: Some(1_790_000_000_000 + event.number as i64),
        ..event.binary_record(2_000)
    });
    from.write(records).await;
    let settings = Settings::new(&broker).route(Route::between_topics(&from, &to, &dead));
    let bridge = Bridge::start(&settings).await;
    eventually("all are dead letters", SOON, async || {
        (dead.len().await == sent.len()).then_some(())
    })
    .await;
    bridge.stop().await;
    to.limit_records(1 << 20).await;
    let words = ["--route", "between-topics", "--all"];
    run("replay", &settings, &words).await.ends_with(0);
    let read = |record: Record| Record {
        place: (0, 0),
        ..record
    };
    let sorted = |records: Vec<Record>| {
        let mut records: Vec<_> = records.into_iter().map(read).collect();
        records.sort_by(|one, other| (&one.key, &one.value).cmp(&(&other.key, &other.value)));
        records
    };
    let (written, arrived) = (sorted(from.read().await), sorted(to.read().await));
    assert_eq!(arrived.len(), written.len());
    for (arrived, written) in arrived.iter().zip(&written) {
        assert_eq!(
            (&arrived.key, &arrived.value),
            (&written.key, &written.value)
        );
        assert_eq!(arrived.timestamp_ms, written.timestamp_ms);
        assert_eq!(arrived.text("ce_id"), written.text("ce_id"));
        assert!(
            !arrived
                .headers
                .iter()
                .any(|(name, _)| name.starts_with("cenl-"))
        );
    }
    assert_eq!(run("replay", &settings, &words).await.ends_with(0).out, "");
}

#[tokio::test]
async fn only_the_dead_letters_of_the_route_are_sent() {
    let broker = brokers::kafka();
    let (topic, other) = (
        Topic::create(&broker, "replay").await,
        Topic::create(&broker, "replay").await,
    );
    let dead = Topic::create(&broker, "dead").await;
    let receiver = Receiver::start(always(Answer::Status(400)));
    let others = Receiver::start(always(Answer::Status(400)));
    let settings = Settings::new(&broker)
        .route(Route::to_webhook(&topic, &receiver, &dead))
        .route(Route::to_webhook(&other, &others, &dead).named("other"));
    let events = numbered(40, 4);
    let (mine, theirs) = events.split_at(20);
    topic.write(mine.iter().map(|event| event.record(10))).await;
    // Only one of the two routes has one that is no event.
    topic.write([Record::new(None, Some(b"x"))]).await;
    other
        .write(theirs.iter().map(|event| event.record(10)))
        .await;
    let bridge = Bridge::start(&settings).await;
    eventually("all are dead letters", SOON, async || {
        (dead.len().await == 41).then_some(())
    })
    .await;
    bridge.stop().await;
    dead.write([Record::new(None, Some(b"no dead letter"))])
        .await;
    receiver.follow(first([]));
    others.follow(first([]));
    let said = run("replay", &settings, &["--route", "other", "--all"]).await;
    // Nobody can tell whose the message is that is no dead letter.
    let said = said.ends_with(1);
    let delivered = said.lines().into_iter();
    let delivered = delivered.filter(|line| line.starts_with("delivered "));
    assert_eq!(delivered.count(), 20);
    for words in ["20 delivered,", "1 unreadable", "21 of other routes"] {
        assert!(said.errors.contains(words), "{}", said.errors);
    }
    assert_eq!(receiver.accepted_count(), 0);
    let said = run("replay", &settings, &["--route", "to-webhook", "--all"]).await;
    let said = said.ends_with(1);
    assert_eq!(said.values("kind"), ["undecodable"]);
    Verdict::of("mine", mine, &receiver.accepted(), &[]).is_clean();
    Verdict::of("theirs", theirs, &others.accepted(), &[]).is_clean();
}
