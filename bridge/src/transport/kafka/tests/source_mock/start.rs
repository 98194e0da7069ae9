//! Where partitions start in which the group committed nothing.

use std::time::Duration;

use rdkafka::Offset;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use tokio::time::timeout;
use tracing::Span;

use super::super::{Broker, PATIENCE, TOPIC, run, until};
use super::{CLASSIC, Running, commit, numbers, position_prefix, settings};
use crate::config::Start;
use crate::transport::kafka::client::{Client, ClientEvents};
use crate::transport::kafka::offsets::{Offsets, Questions, blocking};
use crate::transport::kafka::settings::SourceSettings;
use crate::transport::kafka::source::BEGINNING_TIMEOUT;

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
        assert_eq!(position_prefix(&again.take(1).await[0]), (0, 5));
        again.stop(Duration::ZERO).await;
    });
}

#[test]
fn mock_where_a_group_begins_is_committed_before_it_reads() {
    let broker = Broker::new(2);
    run(async {
        broker.produce(0, numbers(5)).await;
        for (start, expected) in [
            (Start::Earliest, [0, 0]),
            (Start::Latest, [5, 0]),
            // The mock finds no record at any time.
            (Start::Time(jiff::Timestamp::UNIX_EPOCH), [5, 0]),
        ] {
            let group = format!("{start:?}");
            let settings = SourceSettings {
                start,
                ..SourceSettings::new(TOPIC, &group)
            };
            let running = Running::start(&broker, &[], settings);
            until("partitions are read", async || {
                running.status.windows() == 2
            })
            .await;
            for (partition, offset) in (0..).zip(expected) {
                let committed = broker.committed(&group, partition).await;
                assert_eq!(committed, Offset::Offset(offset), "{start:?}");
            }
            running.stop(Duration::ZERO).await;
        }
    });
}

/// One after the other, each could take as long as the broker is silent, and a stop would wait for all of them.
#[test]
fn mock_all_partitions_are_asked_about_in_one_request() {
    let broker = Broker::new(3);
    run(async {
        broker.produce(1, numbers(5)).await;
        let mut config = broker.client();
        config.set("group.id", "bridge");
        for (at, expected) in [(Offset::Beginning, [0, 0, 0]), (Offset::End, [0, 5, 0])] {
            let events = ClientEvents::new(Span::none(), None);
            let client: Client = config.create_with_context(events).unwrap();
            // A second request would fail.
            let answers = [
                RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR,
                RDKafkaRespErr::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED,
            ];
            broker.mock.clear_request_errors(RDKafkaApiKey::ListOffsets);
            broker
                .mock
                .request_errors(RDKafkaApiKey::ListOffsets, &answers);
            let ask = move || Questions::new(&client, TOPIC, PATIENCE).offsets(0..3, at);
            let expected: Offsets = (0..).zip(expected).collect();
            assert_eq!(blocking(ask).await, Ok(expected), "{at:?}");
        }
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
        let places: Vec<_> = taken.iter().map(position_prefix).collect();
        assert_eq!(places, (0..5).map(|n| (1, n)).collect::<Vec<_>>());
        running.stop(Duration::ZERO).await;
    });
}

#[test]
fn mock_a_new_partition_without_a_leader_delays_no_other() {
    let broker = Broker::new(2);
    run(async {
        broker.produce(0, numbers(5)).await;
        broker.produce(1, numbers(5)).await;
        broker.mock.partition_leader(TOPIC, 1, None).unwrap();
        let mut running = Running::start(&broker, &[], settings());
        let places = async |running: &mut Running| {
            let taken = running.take(5).await;
            taken.iter().map(position_prefix).collect::<Vec<_>>()
        };
        // Long before the assignment would be given up.
        let first = timeout(BEGINNING_TIMEOUT / 2, places(&mut running)).await;
        assert_eq!(first.unwrap(), (0..5).map(|n| (0, n)).collect::<Vec<_>>());
        broker.mock.partition_leader(TOPIC, 1, Some(1)).unwrap();
        let second = places(&mut running).await;
        assert_eq!(second, (0..5).map(|n| (1, n)).collect::<Vec<_>>());
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
            let mut places =
                [first.take(1).await, second.take(1).await].map(|d| position_prefix(&d[0]));
            places.sort_unstable();
            assert_eq!(places, [(0, 5), (1, 5)]);
            first.stop(Duration::ZERO).await;
            second.stop(Duration::ZERO).await;
        });
    }
}
