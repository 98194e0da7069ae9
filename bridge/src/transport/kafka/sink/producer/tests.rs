//! Which client a producer has, and how.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use rdkafka::ClientContext;
use tokio::task::{LocalSet, yield_now};
use tokio::time::Instant;

use super::*;
use crate::outcome::UntrustedReason;

const TIMEOUT: Duration = Duration::from_secs(30);

#[test]
fn dead_letters_are_compressed_and_hardly_wait_for_company() {
    let cluster = |properties: &[_]| KafkaCluster::new("b:9092", properties);
    let compression = |properties: &[_], profile| {
        config(&cluster(properties), TIMEOUT, profile)
            .create_native_config()
            .unwrap()
            .get("compression.codec")
            .unwrap()
    };
    assert_eq!(compression(&[], Profile::DeadLetters), "zstd");
    assert_eq!(compression(&[], Profile::LowLatency), "none");
    for name in ["compression.type", "compression.codec"] {
        let own = [(name, "lz4")];
        assert_eq!(compression(&own, Profile::DeadLetters), "lz4", "{name}");
    }
    let config = config(&cluster(&[]), TIMEOUT, Profile::DeadLetters);
    assert_eq!(config.get("linger.ms"), Some("0.2"));
    assert_eq!(config.get("compression.type"), Some("zstd"));
}

#[test]
fn sinks_of_equal_settings_share_a_producer() {
    let of = |brokers: &str, profile| {
        let cluster = KafkaCluster::new(brokers, &[]);
        Producer::shared(&cluster, config(&cluster, TIMEOUT, profile), TIMEOUT)
    };
    let first = of("b:9092", Profile::Throughput);
    assert!(Arc::ptr_eq(&first, &of("b:9092", Profile::Throughput)));
    assert!(!Arc::ptr_eq(&first, &of("b:9092", Profile::DeadLetters)));
    assert!(!Arc::ptr_eq(&first, &of("c:9092", Profile::Throughput)));
}

#[test]
fn that_no_client_can_be_made_is_not_told_for_each_event() {
    let mut config = ClientConfig::new();
    config.set("no.such.property", "1");
    let cluster = KafkaCluster::new("b:9092", &[]);
    let producer = Producer::shared(&cluster, config, TIMEOUT);
    let (sender, mut report) = oneshot::channel();
    let enqueued = producer.enqueue("zaken", &Outgoing::default(), Box::new(sender));
    assert!(enqueued.is_ok());
    assert_eq!(report.try_recv(), Ok(Err(RDKafkaErrorCode::Fatal)));
    assert_eq!(producer.throttle.lets_through(NOT_MADE), None);
}

#[tokio::test(start_paused = true)]
async fn a_report_that_never_comes_is_not_waited_for() {
    let timeout = Duration::from_secs(15);
    let cluster = KafkaCluster::new("b:9092", &[]);
    let producer = Producer::shared(&cluster, ClientConfig::new(), timeout);
    let (_sender, report) = oneshot::channel();
    let asked = Instant::now();
    let outcome = producer.outcome(report).await;
    assert_eq!(outcome, Outcome::Unreachable("no-report"));
    assert_eq!(asked.elapsed().as_secs(), 2 * 15 + 10);
}

const CONNECTED: &[u8] = br#"{"brokers":{"b":{"source":"learned","state":"UP"}}}"#;

#[tokio::test]
async fn who_is_not_authenticated_says_so_long_before_the_time_of_an_event_is_over() {
    const LONG: Duration = Duration::from_secs(3600);
    // It answers nothing, so that no other error follows.
    let broker = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = broker.local_addr().unwrap().to_string();
    let cluster = KafkaCluster::new(&address, &[]);
    let config = config(&cluster, LONG, Profile::Throughput);
    let local = LocalSet::new();
    let in_time = local.run_until(async {
        let producer = Producer::shared(&cluster, config, LONG);
        producer.connect().unwrap();
        let enqueue = || {
            let (sender, report) = oneshot::channel();
            let enqueued = producer.enqueue("zaken", &Outgoing::default(), Box::new(sender));
            assert!(enqueued.is_ok());
            report
        };
        let events = || {
            let client = producer.client.borrow();
            Arc::clone(client.as_ref().unwrap().producer.context())
        };
        let first = events();
        let error = KafkaError::Global(RDKafkaErrorCode::BrokerTransportFailure);
        first.error(error, "sslv3 alert bad certificate: SSL alert number 42");
        assert_eq!(
            first.watchdog.state().authentication_error,
            Some(RDKafkaErrorCode::SSL)
        );
        let error = KafkaError::Global(RDKafkaErrorCode::Authentication);
        first.error(error, "Invalid username or password");
        let untrusted = Outcome::Untrusted(UntrustedReason::NotAuthenticated);
        assert_eq!(producer.outcome(enqueue()).await, untrusted);
        assert!(!Arc::ptr_eq(&first, &events()));
        // Nor is its successor yet.
        let answer = enqueue().try_recv();
        assert_eq!(answer, Ok(Err(RDKafkaErrorCode::Authentication)));
        let error = KafkaError::Global(RDKafkaErrorCode::BrokerTransportFailure);
        events().error(error.clone(), "connection refused");
        assert!(enqueue().try_recv().is_err());
        first.error(KafkaError::Global(RDKafkaErrorCode::Authentication), "");
        first.error(error, "connection refused");
        assert_eq!(first.watchdog.state().authentication_error, None);
        let other = KafkaError::Global(RDKafkaErrorCode::Authentication);
        events().error(other, "of one of several brokers");
        events().watchdog.read_statistics(CONNECTED);
        assert!(enqueue().try_recv().is_err());
    });
    assert!(timeout(TIMEOUT, in_time).await.is_ok());
}

/// Its statistics may still come while its thread ends.
#[tokio::test]
async fn the_watchdog_of_an_ended_client_leaves_its_successor_alone() {
    let cluster = KafkaCluster::new("127.0.0.1:1", &[]);
    let config = config(&cluster, TIMEOUT, Profile::Throughput);
    let client = |producer: &Producer| {
        let client = producer.client.borrow();
        client.as_ref().map(|client| Arc::clone(&client.producer))
    };
    LocalSet::new()
        .run_until(async {
            let producer = Producer::shared(&cluster, config, TIMEOUT);
            producer.connect().unwrap();
            let first = client(&producer).unwrap();
            drop(producer.client.take());
            producer.connect().unwrap();
            let second = client(&producer).unwrap();
            for (client_of, is_left) in [(&first, true), (&second, false)] {
                client_of.context().watchdog.trigger();
                yield_now().await;
                let left = client(&producer);
                let is_second = left.is_some_and(|left| Arc::ptr_eq(&left, &second));
                assert_eq!(is_second, is_left);
            }
        })
        .await;
}
