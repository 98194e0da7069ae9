//! The source against the mock broker.

mod commits;
mod crowd;
mod lag;
mod members;
mod silence;
mod start;

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use rdkafka::consumer::{BaseConsumer, CommitMode, Consumer, ConsumerContext};
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use rdkafka::{Offset, TopicPartitionList};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::{Broker, KafkaCluster, PATIENCE, run, until};
use crate::config::OnOffsetLost;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Delivery, Verdict};
use crate::transport::kafka::settings::SourceSettings;
use crate::transport::kafka::source::KafkaSource;
use crate::transport::{Intake, Source, SourceError, SourceStatus, Stop};

pub(super) const WINDOW: Capacity = Capacity {
    events: 1_000,
    bytes: 8 << 20,
};

pub(super) struct Running {
    status: SourceStatus,
    /// Of the topic.
    part: Rc<Cell<f64>>,
    deliveries: mpsc::Receiver<Vec<Delivery>>,
    stop: watch::Sender<Option<Instant>>,
    source: JoinHandle<Result<(), SourceError>>,
}

impl Running {
    fn start(broker: &Broker, properties: &[(&str, &str)], settings: SourceSettings) -> Self {
        Self::start_with(broker, properties, settings, WINDOW)
    }

    fn start_with(
        broker: &Broker,
        properties: &[(&str, &str)],
        settings: SourceSettings,
        window: Capacity,
    ) -> Self {
        Self::start_on(&broker.cluster(properties), settings, window)
    }

    pub(super) fn start_on(
        cluster: &KafkaCluster,
        settings: SourceSettings,
        window: Capacity,
    ) -> Self {
        Self::start_sharing(cluster, settings, window, Share::unbounded())
    }

    fn start_sharing(
        cluster: &KafkaCluster,
        settings: SourceSettings,
        window: Capacity,
        share: Rc<Share>,
    ) -> Self {
        let (status, part) = (SourceStatus::default(), Rc::new(Cell::new(1.0)));
        let told = Rc::clone(&part);
        status.watch_part(move |part| told.set(part));
        let source = KafkaSource::new(cluster, settings, window, share, status.clone());
        let (intake, deliveries) = Intake::new();
        let (sender, stop) = Stop::new();
        let source = tokio::task::spawn_local(Box::new(source).run(intake, stop));
        Self {
            status,
            part,
            deliveries,
            stop: sender,
            source,
        }
    }

    pub(super) async fn take(&mut self, count: usize) -> Vec<Delivery> {
        let mut taken = Vec::new();
        while taken.len() < count {
            let next = timeout(PATIENCE, self.deliveries.recv()).await;
            taken.extend(
                next.expect("records arrive in time")
                    .expect("the source runs"),
            );
        }
        taken
    }

    async fn stop(self, drain: Duration) {
        self.stop.send(Some(Instant::now() + drain)).unwrap();
        drop(self.deliveries);
        self.source.await.unwrap().unwrap();
    }
}

fn settings() -> SourceSettings {
    SourceSettings::new(super::TOPIC, "bridge")
}

fn numbers(count: usize) -> impl Iterator<Item = String> {
    (0..count).map(|n| n.to_string())
}

pub(super) fn position_prefix(delivery: &Delivery) -> (i32, i64) {
    let text = delivery.received.position.to_string();
    let mut parts = text.rsplit('/').map(|part| part.parse().unwrap());
    let (offset, partition): (i64, i64) = (parts.next().unwrap(), parts.next().unwrap());
    (i32::try_from(partition).unwrap(), offset)
}

fn settle(deliveries: impl IntoIterator<Item = Delivery>) {
    for delivery in deliveries {
        assert!(delivery.start());
        delivery.settle(Verdict::Delivered);
    }
}

#[test]
fn mock_what_is_settled_is_committed_while_running() {
    let broker = Broker::new(1);
    run(async {
        broker.produce(0, numbers(10)).await;
        let mut running = Running::start(&broker, &[], settings());
        let taken = running.take(10).await;
        assert_eq!(
            taken.iter().map(position_prefix).collect::<Vec<_>>(),
            (0..10).map(|n| (0, n)).collect::<Vec<_>>()
        );
        assert!(running.status.joined());
        assert_eq!((running.status.windows(), running.status.events()), (1, 10));
        settle(taken);
        until("the watermark is committed", async || {
            broker.committed("bridge", 0).await == Offset::Offset(10)
        })
        .await;
        running.stop(PATIENCE).await;
    });
}

#[test]
fn mock_an_unsettled_record_holds_the_commit_and_comes_again() {
    let broker = Broker::new(1);
    run(async {
        broker.produce(0, numbers(10)).await;
        let mut running = Running::start(&broker, &[], settings());
        let mut taken = running.take(10).await;
        let overtaken = taken.remove(4);
        assert!(overtaken.start());
        settle(taken);
        running.stop(Duration::from_millis(100)).await;
        assert_eq!(broker.committed("bridge", 0).await, Offset::Offset(4));
        overtaken.settle(Verdict::Delivered);

        let mut again = Running::start(&broker, &[], settings());
        let taken = again.take(6).await;
        assert_eq!(position_prefix(&taken[0]), (0, 4));
        again.stop(Duration::ZERO).await;
        assert_eq!(broker.committed("bridge", 0).await, Offset::Offset(4));
    });
}

#[test]
fn mock_what_is_in_flight_at_a_stop_is_finished_and_committed() {
    let broker = Broker::new(1);
    run(async {
        broker.produce(0, numbers(3)).await;
        let mut running = Running::start(&broker, &[], settings());
        let mut taken = running.take(3).await;
        let unstarted = taken.pop().unwrap();
        assert!(taken.iter().all(Delivery::start));
        let status = running.status.clone();
        let settling = async {
            until("the drain cuts what was not started", async || {
                status.events() == 2
            })
            .await;
            assert!(!unstarted.start());
            for delivery in taken {
                delivery.settle(Verdict::Delivered);
            }
        };
        let stopping = running.stop(PATIENCE);
        tokio::join!(stopping, settling);
        assert_eq!(broker.committed("bridge", 0).await, Offset::Offset(2));
    });
}

#[test]
fn mock_a_full_partition_does_not_stop_another() {
    let broker = Broker::new(2);
    run(async {
        broker.produce(0, numbers(20)).await;
        broker.produce(1, numbers(20)).await;
        let window = Capacity {
            events: 2,
            ..WINDOW
        };
        let mut running = Running::start_with(&broker, &[], settings(), window);
        let (mut stuck, mut flowing) = (Vec::new(), 0);
        while flowing < 20 {
            for delivery in running.take(1).await {
                match position_prefix(&delivery).0 {
                    0 => stuck.push(delivery),
                    _ => {
                        flowing += 1;
                        settle([delivery]);
                    }
                }
            }
        }
        assert!(stuck.len() <= 2, "a window of two took {}", stuck.len());
        settle(stuck);
        settle(running.take(1).await);
        running.stop(PATIENCE).await;
    });
}

#[test]
fn mock_a_broker_that_was_away_is_read_on() {
    let broker = Broker::new(1);
    run(async {
        broker.produce(0, numbers(3)).await;
        let mut running = Running::start(&broker, &[], settings());
        let taken = running.take(3).await;
        broker.mock.broker_down(-1).unwrap();
        settle(taken);
        broker.mock.broker_up(-1).unwrap();
        broker.produce(0, numbers(3)).await;
        let taken = running.take(3).await;
        assert_eq!(position_prefix(&taken[0]), (0, 3));
        settle(taken);
        until("the watermark is committed", async || {
            broker.committed("bridge", 0).await == Offset::Offset(6)
        })
        .await;
        running.stop(PATIENCE).await;
    });
}

#[test]
fn mock_what_was_settled_while_the_session_was_lost_does_not_come_again() {
    let broker = Broker::new(1);
    run(async {
        broker.produce(0, numbers(5)).await;
        let mut running = Running::start(&broker, CLASSIC, settings());
        let mut taken = running.take(5).await;
        settle(taken.drain(..2));
        until("the first watermark is committed", async || {
            broker.committed("bridge", 0).await == Offset::Offset(2)
        })
        .await;
        broker.mock.broker_down(-1).unwrap();
        let unsettled = taken.pop();
        settle(taken);
        let status = running.status.clone();
        until("the assignment is lost", async || status.windows() == 0).await;
        broker.mock.broker_up(-1).unwrap();
        // Of the five, two were committed and two more settled: only the last is to come again.
        let again = running.take(1).await;
        assert_eq!(
            again.iter().map(position_prefix).collect::<Vec<_>>(),
            [(0, 4)]
        );
        drop(unsettled);
        until("what was settled meanwhile is committed", async || {
            broker.committed("bridge", 0).await == Offset::Offset(4)
        })
        .await;
        settle(again);
        running.stop(PATIENCE).await;
        assert_eq!(broker.committed("bridge", 0).await, Offset::Offset(5));
    });
}

#[test]
fn mock_a_stop_in_the_middle_of_an_assignment_leaves_the_group() {
    for properties in [&[][..], CLASSIC] {
        let broker = Broker::new(1);
        let error = RDKafkaRespErr::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
        let errors = [error; 100];
        broker
            .mock
            .request_errors(RDKafkaApiKey::OffsetFetch, &errors);
        run(async {
            let running = Running::start(&broker, properties, settings());
            until("the source has joined", async || running.status.joined()).await;
            // Where partitions start is not known, so the assignment waits for its answer.
            assert_eq!(running.status.windows(), 0);
            let asked = Instant::now();
            running.stop(Duration::ZERO).await;
            let elapsed = asked.elapsed();
            assert!(elapsed < Duration::from_secs(4), "left after {elapsed:?}");
        });
    }
}

/// Commits an offset that the log never had.
async fn lose_the_offset(broker: &Broker) {
    commit(broker, 0, 1000).await;
}

/// Commits for the group as an operator would.
async fn commit(broker: &Broker, partition: i32, offset: i64) {
    let consumer: BaseConsumer = broker.client().set("group.id", "bridge").create().unwrap();
    let commit = move || commit_by(&consumer, partition, offset);
    tokio::task::spawn_blocking(commit).await.unwrap();
}

fn commit_by<C: ConsumerContext>(consumer: &impl Consumer<C>, partition: i32, offset: i64) {
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(super::TOPIC, partition, Offset::Offset(offset))
        .unwrap();
    consumer.commit(&list, CommitMode::Sync).unwrap();
}

#[test]
fn mock_a_lost_offset_holds_the_partition() {
    let broker = Broker::new(1);
    run(async {
        broker.produce(0, numbers(3)).await;
        lose_the_offset(&broker).await;
        let mut running = Running::start(&broker, &[], settings());
        until("the partition is held", async || running.status.held() == 1).await;
        assert!(running.deliveries.try_recv().is_err());
        running.stop(PATIENCE).await;
        assert_eq!(broker.committed("bridge", 0).await, Offset::Offset(1000));
    });
}

#[test]
fn mock_a_lost_offset_goes_back_to_the_oldest_record_when_told_so() {
    let broker = Broker::new(1);
    run(async {
        broker.produce(0, numbers(3)).await;
        lose_the_offset(&broker).await;
        let settings = SourceSettings {
            on_offset_lost: OnOffsetLost::Earliest,
            ..settings()
        };
        let mut running = Running::start(&broker, &[], settings);
        let taken = running.take(3).await;
        assert_eq!(position_prefix(&taken[0]), (0, 0));
        settle(taken);
        until("the commit follows back", async || {
            broker.committed("bridge", 0).await == Offset::Offset(3)
        })
        .await;
        assert_eq!(running.status.held(), 0);
        running.stop(PATIENCE).await;
    });
}

const CLASSIC: &[(&str, &str)] = &[
    ("group.protocol", "classic"),
    ("session.timeout.ms", "3000"),
    ("heartbeat.interval.ms", "200"),
];
