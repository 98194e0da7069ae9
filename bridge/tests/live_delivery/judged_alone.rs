//! What a Kafka topic refuses: the event at fault alone, not its company; and a dead letter is written,
//! whatever its time.

use jiff::{Timestamp, ToSpan};

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::command::run;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::{Record, Topic};
use crate::support::settings::{Route, Settings};
use crate::support::wait::{SOON, eventually};
use crate::support::wire;

/// A compacted topic takes no record without a key, and its broker refuses the batch.
#[tokio::test]
async fn the_company_of_a_refused_event_is_delivered() {
    let broker = brokers::kafka();
    let from = Topic::create(&broker, "mixed").await;
    let to = Topic::create(&broker, "compacted").await;
    let dead = Topic::create(&broker, "dead").await;
    to.configure("cleanup.policy", "compact").await;
    let is_bad = |event: &Numbered| event.number % 10 == 5;
    let sent = numbered(800, 8);
    let records = sent.iter().map(|event| Record {
        key: (!is_bad(event)).then(|| event.key.clone().into_bytes()),
        ..event.binary_record(20)
    });
    from.write(records).await;
    let route = Route::between_topics(&from, &to, &dead).retry("attempts_max = 1");
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    eventually("all are settled", SOON, async || {
        (from.lag(&from.name).await == 0).then_some(())
    })
    .await;
    bridge.stop().await;
    let ids = |is_wanted: &dyn Fn(&Numbered) -> bool| {
        let wanted = sent.iter().filter(|event| is_wanted(event));
        let mut ids: Vec<_> = wanted.map(Numbered::id).collect();
        ids.sort_unstable();
        ids
    };
    let letters = dead.read().await;
    let mut refused = wire::ids(&letters);
    refused.sort_unstable();
    assert_eq!(refused, ids(&is_bad));
    for letter in &letters {
        assert_eq!(letter.text("cenl-status").unwrap(), "invalid-record");
    }
    let mut delivered = wire::ids(&to.read().await);
    delivered.sort_unstable();
    assert_eq!(delivered, ids(&|event| !is_bad(event)));
}

#[tokio::test]
async fn a_dead_letter_whose_time_is_refused_is_written_without() {
    let broker = brokers::kafka();
    let from = Topic::create(&broker, "old").await;
    let to = Topic::create(&broker, "young").await;
    let dead = Topic::create(&broker, "dead").await;
    let (limit, no_limit) = ("3600000", "9223372036854775807");
    for topic in [&to, &dead] {
        topic
            .configure("message.timestamp.before.max.ms", limit)
            .await;
    }
    let now = Timestamp::now();
    let sent = numbered(20, 4);
    let is_old = |event: &Numbered| event.number == 2;
    let old = (now - 48.hours()).as_millisecond();
    let time = |event: &Numbered| match is_old(event) {
        true => old,
        false => now.as_millisecond(),
    };
    let records = sent.iter().map(|event| Record {
        timestamp_ms: Some(time(event)),
        ..event.record(20)
    });
    from.write(records).await;
    let settings = Settings::new(&broker).route(Route::between_topics(&from, &to, &dead));
    let bridge = Bridge::start(&settings).await;
    eventually("all are settled", SOON, async || {
        (from.lag(&from.name).await == 0).then_some(())
    })
    .await;
    assert_eq!(bridge.metric("cenl_dead_letters_stuck").await, Some(0.0));
    bridge.stop().await;
    let letters = dead.read().await;
    assert_eq!(letters.len(), sent.iter().filter(|e| is_old(e)).count());
    for letter in &letters {
        assert_eq!(letter.text("cenl-status").unwrap(), "invalid-timestamp");
        assert_eq!(letter.text("cenl-timestamp").unwrap(), old.to_string());
        assert!(letter.timestamp_ms >= Some(now.as_millisecond()));
    }
    assert_eq!(to.len().await, sent.len() - letters.len());
    // Once the destination takes it, it has its own time again.
    to.configure("message.timestamp.before.max.ms", no_limit)
        .await;
    let words = ["--route", "between-topics", "--all"];
    run("replay", &settings, &words).await.ends_with(0);
    let arrived = to.read().await;
    assert_eq!(arrived.len(), sent.len());
    for record in arrived {
        let id = wire::ids(std::slice::from_ref(&record)).remove(0);
        let event = Numbered::of_id(&id).unwrap();
        assert_eq!(record.timestamp_ms, Some(time(&event)), "{id}");
        assert_eq!(record.text("cenl-timestamp"), None);
    }
}
