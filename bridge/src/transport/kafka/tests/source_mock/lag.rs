//! How far behind a source says that it is, and whether it has joined.

use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};

use super::super::{Broker, PATIENCE, run, until};
use super::{CLASSIC, Running, settings};

#[test]
fn mock_a_lag_is_unknown_before_it_is_known_where_partitions_start() {
    for properties in [&[][..], CLASSIC] {
        let broker = Broker::new(1);
        // One for each try, a second apart.
        let errors = [RDKafkaRespErr::RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED; 4];
        let asks = RDKafkaApiKey::OffsetFetch;
        broker.mock.request_errors(asks, &errors);
        run(async {
            let running = Running::start(&broker, properties, settings());
            let status = running.status.clone();
            until("the lag is known", async || status.lag().is_some()).await;
            assert_eq!(status.windows(), 1);
            running.stop(PATIENCE).await;
        });
    }
}

#[test]
fn mock_a_lag_is_unknown_while_brokers_do_not_tell_the_ends() {
    let broker = Broker::new(1);
    run(async {
        let running = Running::start(&broker, &[], settings());
        let status = running.status.clone();
        until("the lag is known", async || status.lag().is_some()).await;
        let errors = [RDKafkaRespErr::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED; 1000];
        let asks = RDKafkaApiKey::ListOffsets;
        broker.mock.request_errors(asks, &errors);
        until("nobody knows it", async || status.lag().is_none()).await;
        assert!(status.joined());
        broker.mock.clear_request_errors(asks);
        until("it is known again", async || status.lag() == Some(0)).await;
        running.stop(PATIENCE).await;
    });
}

#[test]
fn mock_a_member_of_kip_848_without_a_partition_or_a_coordinator_says_what_is_true() {
    let broker = Broker::new(1);
    run(async {
        let members = [(); 2].map(|()| Running::start(&broker, &[], settings()));
        let [one, other] = members.each_ref().map(|it| it.status.clone());
        let both = |joined| [&one, &other].iter().all(|it| it.joined() == joined);
        until("both have joined", async || both(true)).await;
        until("one has all", async || one.windows() + other.windows() == 1).await;
        let known = || [&one, &other].iter().all(|it| it.lag() == Some(0));
        until("both know their lag", async || known()).await;
        broker.mock.broker_down(-1).unwrap();
        until("both are out of the group", async || both(false)).await;
        assert_eq!([one.lag(), other.lag()], [None; 2]);
        broker.mock.broker_up(-1).unwrap();
        until("both are back", async || both(true)).await;
        for member in members {
            member.stop(PATIENCE).await;
        }
    });
}
