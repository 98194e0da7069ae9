//! Where partitions start in which the group committed nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rdkafka::Offset;
use rdkafka::consumer::{BaseConsumer, Consumer};

use super::super::{Broker, TOPIC, run, until};
use super::{CLASSIC, ROUND_ROBIN, Running, commit, commit_by, numbers, place, settings};
use crate::transport::kafka::{SourceSettings, Start};

#[test]
fn mock_a_start_at_the_end_is_committed_at_once() {
    let broker = Broker::new(1);
    run(async {
        broker.produce(0, numbers(5)).await;
        let settings = SourceSettings {
            start: Start::Latest,
            ..settings()
        };
        let running = Running::start(&broker, &[], settings.clone());
        until("the start is committed", async || {
            broker.committed("bridge", 0).await == Offset::Offset(5)
        })
        .await;
        running.stop(Duration::ZERO).await;
        broker.produce(0, ["new".to_owned()]).await;
        let mut again = Running::start(&broker, &[], settings);
        assert_eq!(place(&again.take(1).await[0]), (0, 5));
        again.stop(Duration::ZERO).await;
    });
}

#[test]
fn mock_a_partition_added_later_is_read_from_its_first_record() {
    let broker = Broker::new(2);
    run(async {
        broker.produce(0, numbers(5)).await;
        broker.produce(1, numbers(5)).await;
        commit(&broker, 0, 5).await;
        let settings = SourceSettings {
            start: Start::Latest,
            ..settings()
        };
        let mut running = Running::start(&broker, &[], settings);
        let taken = running.take(5).await;
        let places: Vec<_> = taken.iter().map(place).collect();
        assert_eq!(places, (0..5).map(|n| (1, n)).collect::<Vec<_>>());
        running.stop(Duration::ZERO).await;
    });
}

#[test]
fn mock_members_that_begin_together_start_at_the_same_end() {
    for properties in [&[][..], CLASSIC] {
        let broker = Broker::new(2);
        run(async {
            broker.produce(0, numbers(5)).await;
            broker.produce(1, numbers(5)).await;
            let settings = SourceSettings {
                start: Start::Latest,
                ..settings()
            };
            let mut first = Running::start(&broker, properties, settings.clone());
            let mut second = Running::start(&broker, properties, settings);
            let (one, other) = (first.status.clone(), second.status.clone());
            until("both read", async || {
                (one.windows(), other.windows()) == (1, 1)
            })
            .await;
            for partition in 0..2 {
                let committed = broker.committed("bridge", partition).await;
                assert_eq!(committed, Offset::Offset(5));
                broker.produce(partition, ["new".to_owned()]).await;
            }
            let mut places = [first.take(1).await, second.take(1).await].map(|d| place(&d[0]));
            places.sort_unstable();
            assert_eq!(places, [(0, 5), (1, 5)]);
            first.stop(Duration::ZERO).await;
            second.stop(Duration::ZERO).await;
        });
    }
}

/// On a busy machine a member must not be taken for dead while it joins.
fn patient() -> Vec<(&'static str, &'static str)> {
    [ROUND_ROBIN, &[("session.timeout.ms", "10000")]].concat()
}

/// A member of the group that owns the first partition and has not yet said where the group begins.
/// Owners are chosen in the order of client names.
struct SlowOwner {
    consumer: Arc<BaseConsumer>,
    has_left: Arc<AtomicBool>,
}

impl Drop for SlowOwner {
    fn drop(&mut self) {
        self.has_left.store(true, Ordering::Relaxed);
    }
}

fn slow_owner(broker: &Broker) -> SlowOwner {
    let mut config = broker.client();
    config.set("group.id", "bridge").set("client.id", "a");
    config.set("enable.auto.commit", "false");
    for (name, value) in patient() {
        config.set(name, value);
    }
    let consumer: Arc<BaseConsumer> = Arc::new(config.create().unwrap());
    consumer.subscribe(&[TOPIC]).unwrap();
    // On a thread of its own, so that it takes part in every rebalance in time.
    let (polled, has_left) = (Arc::clone(&consumer), Arc::<AtomicBool>::default());
    let told = Arc::clone(&has_left);
    std::thread::spawn(move || {
        while !told.load(Ordering::Relaxed) {
            drop(polled.poll(Duration::from_millis(50)));
        }
    });
    SlowOwner { consumer, has_left }
}

#[test]
fn mock_a_member_waits_for_the_owner_of_the_first_partition_to_begin() {
    let broker = Broker::new(2);
    run(async {
        broker.produce(1, numbers(5)).await;
        let owner = slow_owner(&broker);
        until("the owner has joined first", async || {
            owner
                .consumer
                .assignment()
                .is_ok_and(|list| list.count() == 2)
        })
        .await;
        let settings = SourceSettings {
            start: Start::Latest,
            ..settings()
        };
        let mut running = Running::start(&broker, &patient(), settings);
        until("the source has joined", async || running.status.joined()).await;
        assert_eq!(broker.committed("bridge", 0).await, Offset::Invalid);
        assert_eq!(broker.committed("bridge", 1).await, Offset::Invalid);
        assert_eq!(running.status.windows(), 0);
        let consumer = Arc::clone(&owner.consumer);
        let begin = move || commit_by(&*consumer, 1, 4);
        tokio::task::spawn_blocking(begin).await.unwrap();
        assert_eq!(place(&running.take(1).await[0]), (1, 4));
        running.stop(Duration::ZERO).await;
    });
}
