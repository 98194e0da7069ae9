//! Members that take partitions over from each other.

use std::rc::Rc;
use std::time::Duration;

use rdkafka::Offset;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

use super::super::{Broker, PATIENCE, run, until};
use super::{CLASSIC, Running, numbers, position_prefix, settings, settle};
use crate::delivery::{Delivery, Verdict};
use crate::transport::kafka::settings::SourceSettings;

const REFUSED: RDKafkaRespErr = RDKafkaRespErr::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
const ROUND_ROBIN: &[(&str, &str)] = &[
    ("group.protocol", "classic"),
    ("session.timeout.ms", "3000"),
    ("heartbeat.interval.ms", "200"),
    ("partition.assignment.strategy", "roundrobin"),
];

/// The first has all 20 records of two partitions when the second begins.
async fn two_members(
    broker: &Broker,
    properties: &[(&str, &str)],
) -> (Running, Vec<Delivery>, Running) {
    for partition in 0..2 {
        broker.produce(partition, numbers(10)).await;
    }
    let quick = SourceSettings {
        drain: Duration::from_millis(200),
        ..settings()
    };
    let mut first = Running::start(broker, properties, quick.clone());
    let held = first.take(20).await;
    (first, held, Running::start(broker, properties, quick))
}

/// Settles those whose window was not abandoned meanwhile.
fn settle_what_is_left(deliveries: impl IntoIterator<Item = Delivery>) {
    for delivery in deliveries.into_iter().filter(Delivery::start) {
        delivery.settle(Verdict::Delivered);
    }
}

#[test]
fn mock_a_second_member_takes_over_what_is_not_settled() {
    second_member(&[]);
}

#[test]
fn mock_a_second_member_takes_over_with_the_classic_cooperative_protocol() {
    second_member(CLASSIC);
}

#[test]
fn mock_an_eager_rebalance_starts_every_partition_again() {
    let broker = Broker::new(2);
    run(async {
        let (mut first, held, mut second) = two_members(&broker, ROUND_ROBIN).await;
        let (again, moved) = (first.take(10).await, second.take(10).await);
        assert!(held.iter().all(|delivery| !delivery.start()));
        settle_what_is_left(again.into_iter().chain(moved));
        for partition in 0..2 {
            until("both members commit", async || {
                // On a busy machine a member may be taken for dead, and everything starts once more.
                for member in [&mut first, &mut second] {
                    while let Ok(deliveries) = member.deliveries.try_recv() {
                        settle_what_is_left(deliveries);
                    }
                }
                broker.committed("bridge", partition).await == Offset::Offset(10)
            })
            .await;
        }
        first.stop(PATIENCE).await;
        second.stop(PATIENCE).await;
    });
}

#[test]
fn mock_what_could_not_be_committed_in_a_rebalance_is_not_repeated_by_who_keeps_its_partition() {
    let broker = Broker::new(2);
    run(async {
        for partition in 0..2 {
            broker.produce(partition, numbers(10)).await;
        }
        let mut first = Running::start(&broker, ROUND_ROBIN, settings());
        let taken = first.take(20).await;
        let commits = RDKafkaApiKey::OffsetCommit;
        broker.mock.request_errors(commits, &[REFUSED; 50]);
        settle(taken);
        let mut second = Running::start(&broker, ROUND_ROBIN, settings());
        settle(second.take(10).await);
        for partition in 0..2 {
            until("both members commit", async || {
                broker.committed("bridge", partition).await == Offset::Offset(10)
            })
            .await;
        }
        assert!(first.deliveries.try_recv().is_err(), "settled before");
        first.stop(PATIENCE).await;
        second.stop(PATIENCE).await;
    });
}

fn second_member(properties: &[(&str, &str)]) {
    let broker = Broker::new(2);
    run(async {
        let (first, held, mut second) = two_members(&broker, properties).await;
        // Nothing was settled: the partition that moves starts again at its first record.
        let taken = second.take(10).await;
        let moved = position_prefix(&taken[0]).0;
        assert_eq!(position_prefix(&taken[0]), (moved, 0));
        assert_eq!((first.status.windows(), second.status.windows()), (1, 1));
        assert_eq!((first.part.get(), second.part.get()), (0.5, 0.5));
        // Late verdicts of the first member move nothing that the second one owns.
        for delivery in held {
            let moves = position_prefix(&delivery).0 == moved;
            assert_eq!(
                delivery.start(),
                !moves,
                "an abandoned delivery does not start"
            );
            delivery.settle(Verdict::Delivered);
        }
        until("the first member commits its own", async || {
            broker.committed("bridge", 1 - moved).await == Offset::Offset(10)
        })
        .await;
        assert_eq!(broker.committed("bridge", moved).await, Offset::Offset(0));
        settle(taken);
        let part = Rc::clone(&second.part);
        second.stop(PATIENCE).await;
        assert_eq!(broker.committed("bridge", moved).await, Offset::Offset(10));
        until("the first member has all of it", async || {
            first.part.get() == 1.0
        })
        .await;
        assert_eq!(part.get(), 0.0);
        first.stop(PATIENCE).await;
    });
}
