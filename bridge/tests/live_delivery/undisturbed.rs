//! Nothing is repeated without a cause, and everything is committed in the end.

use crate::support::bridge::Bridge;
use crate::support::brokers;
use crate::support::events::{Numbered, numbered};
use crate::support::kafka::{PARTITIONS, Topic};
use crate::support::receiver::{Answer, Receiver, always};
use crate::support::settings::{Route, Settings};
use crate::support::verdict::Verdict;
use crate::support::wait::{SOON, eventually, until};

#[tokio::test]
async fn an_undisturbed_run_repeats_nothing_and_commits_all() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "undisturbed").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(5_000, 100);
    let records = sent
        .iter()
        .enumerate()
        .map(|(index, event)| match index % 2 {
            0 => event.record(300),
            _ => event.binary_record(300),
        });
    topic.write(records).await;
    let receiver = Receiver::start(always(Answer::Status(204)));
    let settings = Settings::new(&broker).route(Route::to_webhook(&topic, &receiver, &dead));
    let bridge = Bridge::start(&settings).await;
    receiver.gets(&sent).await;
    // The bridge commits by itself while it runs, not only when it ends.
    eventually("the lag is 0", SOON, async || {
        (topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    bridge.stop().await;
    Verdict::of("undisturbed", &sent, &receiver.accepted(), &[]).is_clean();
    assert_eq!(dead.len().await, 0);
    // A second life finds nothing to do.
    let another = Numbered {
        key: "last".to_owned(),
        number: 0,
    };
    let _bridge = Bridge::start(&settings.another()).await;
    topic.write([another.record(300)]).await;
    until("the last one arrived", SOON, || {
        receiver.accepted().contains(&another.id())
    })
    .await;
    assert_eq!(receiver.accepted_count(), sent.len() + 1);
}

#[tokio::test]
async fn aborted_transactions_are_not_delivered_and_leave_no_gap() {
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "transactions").await,
        Topic::create(&broker, "dead").await,
    );
    let all = numbered(150, 9);
    let mut sent = Vec::new();
    // The last one is aborted.
    for (index, part) in all[..120].chunks(30).enumerate() {
        let commits = index % 2 == 0;
        let records = part.iter().map(|event| event.record(50)).collect();
        topic.write_transaction(records, commits).await;
        sent.extend(part.iter().filter(|_| commits).cloned());
    }
    let receiver = Receiver::start(always(Answer::Status(204)));
    let settings = Settings::new(&broker).route(Route::to_webhook(&topic, &receiver, &dead));
    let bridge = Bridge::start(&settings).await;
    receiver.gets(&sent).await;
    eventually("nothing is behind", SOON, async || {
        let told = bridge.metric("cenl_source_lag_messages").await?;
        // What ends a transaction is no record, and committed all the same.
        (told == 0.0 && topic.lag(&topic.name).await == 0).then_some(())
    })
    .await;
    bridge.stop().await;
    // As retention does it to a quiet topic: nothing is lost, so the next start holds nothing.
    topic.delete_records().await;
    let bridge = Bridge::start(&settings.another()).await;
    topic
        .write(all[120..].iter().map(|event| event.record(50)))
        .await;
    sent.extend_from_slice(&all[120..]);
    receiver.gets(&sent).await;
    assert_eq!(bridge.metric("cenl_windows_held").await, Some(0.0));
    bridge.stop().await;
    Verdict::of("transactions", &sent, &receiver.accepted(), &[]).is_clean();
}

#[tokio::test]
async fn large_events_behind_a_slow_receiver_stay_in_the_log() {
    const MEBIBYTE: usize = 1 << 20;
    let broker = brokers::kafka();
    let (topic, dead) = (
        Topic::create(&broker, "large").await,
        Topic::create(&broker, "dead").await,
    );
    let sent = numbered(2_400, 24);
    topic
        .write(sent.iter().map(|event| event.record(64 << 10)))
        .await;
    let receiver = Receiver::start(always(Answer::Hang));
    let route = Route::to_webhook(&topic, &receiver, &dead)
        .own(&format!("window_bytes = {MEBIBYTE}"))
        .sink("first_byte_timeout = \"8s\"");
    let bridge = Bridge::start(&Settings::new(&broker).route(route)).await;
    let full = (usize::try_from(PARTITIONS).unwrap() * MEBIBYTE) as f64;
    eventually("the windows are full", SOON, async || {
        let held = bridge.metric("cenl_window_bytes{").await;
        held.is_some_and(|held| held >= full).then_some(())
    })
    .await;
    // A receiver that has not answered yet gets no more at a time.
    until("requests hang", SOON, || receiver.requests() >= 4).await;
    let held = bridge.memory() / MEBIBYTE;
    println!("150 MiB wait in the log; the bridge holds {held} MiB");
    assert!(held < 100, "{held} MiB");
    receiver.follow(always(Answer::Status(204)));
    receiver.gets(&sent).await;
    bridge.stop().await;
    Verdict::of("64 KiB", &sent, &receiver.accepted(), &[]).is_clean();
}
