//! A consumer that stands still without an error.

use std::time::Duration;

use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

use super::super::{Broker, run, until};
use super::{Running, numbers, position_prefix, settings, settle};

#[test]
fn mock_a_consumer_that_stands_still_is_made_anew_and_a_quiet_one_is_not() {
    let (broken, quiet) = (Broker::new(1), Broker::new(1));
    run(async {
        let mut sources = [&broken, &quiet].map(|broker| Running::start(broker, &[], settings()));
        for (broker, source) in [&broken, &quiet].into_iter().zip(&mut sources) {
            broker.produce(0, numbers(3)).await;
            settle(source.take(3).await);
        }
        // librdkafka asks for the leader and tries again, without a word.
        let error = RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION;
        let errors = vec![error; 100_000];
        broken.mock.request_errors(RDKafkaApiKey::Fetch, &errors);
        broken.produce(0, numbers(3)).await;
        let [mut broken_source, quiet_source] = sources;
        let status = broken_source.status.clone();
        until("the consumer is made anew", async || !status.joined()).await;
        assert!(quiet_source.status.joined());
        broken.mock.clear_request_errors(RDKafkaApiKey::Fetch);
        let taken = broken_source.take(3).await;
        assert_eq!(position_prefix(&taken[0]), (0, 3));
        settle(taken);
        broken_source.stop(Duration::from_secs(1)).await;
        quiet_source.stop(Duration::from_secs(1)).await;
    });
}
