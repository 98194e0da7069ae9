//! Commits that fail, or that nobody answers.

use std::time::Duration;

use rdkafka::Offset;
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use tokio::time::{Instant, sleep};

use super::super::{Broker, PATIENCE, run, until};
use super::{CLASSIC, Running, numbers, settings, settle};

const IN_A_REBALANCE: RDKafkaRespErr = RDKafkaRespErr::RD_KAFKA_RESP_ERR_REBALANCE_IN_PROGRESS;
const STALE: RDKafkaRespErr = RDKafkaRespErr::RD_KAFKA_RESP_ERR_STALE_MEMBER_EPOCH;
const UNKNOWN_MEMBER: RDKafkaRespErr = RDKafkaRespErr::RD_KAFKA_RESP_ERR_UNKNOWN_MEMBER_ID;
const REFUSED: RDKafkaRespErr = RDKafkaRespErr::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;

#[test]
fn mock_a_commit_that_failed_is_repeated_although_nothing_more_comes() {
    for (properties, errors) in [
        (CLASSIC, [IN_A_REBALANCE; 2]),
        (CLASSIC, [UNKNOWN_MEMBER, IN_A_REBALANCE]),
        (CLASSIC, [REFUSED; 2]),
        (&[][..], [STALE; 2]),
        (&[][..], [REFUSED; 2]),
    ] {
        let broker = Broker::new(1);
        run(async {
            broker.produce(0, numbers(10)).await;
            let mut running = Running::start(&broker, properties, settings());
            let taken = running.take(10).await;
            let commits = RDKafkaApiKey::OffsetCommit;
            broker.mock.request_errors(commits, &errors);
            settle(taken);
            until("the commit is repeated", async || {
                broker.committed("bridge", 0).await == Offset::Offset(10)
            })
            .await;
            running.stop(PATIENCE).await;
        });
    }
}

#[test]
fn mock_a_stop_does_not_wait_for_a_commit_that_nobody_answers() {
    let broker = Broker::new(1);
    run(async {
        broker.produce(0, numbers(10)).await;
        let mut running = Running::start(&broker, &[], settings());
        let taken = running.take(10).await;
        broker.mock.broker_down(-1).unwrap();
        settle(taken);
        // The commit is under way, and librdkafka keeps it for a session: 45 s.
        sleep(Duration::from_millis(500)).await;
        let asked = Instant::now();
        running.stop(Duration::ZERO).await;
        let elapsed = asked.elapsed();
        assert!(elapsed < Duration::from_secs(12), "left after {elapsed:?}");
        broker.mock.broker_up(-1).unwrap();
    });
}
