//! What other live tests rely on: `scripts/brokers` can kill a broker and bring it back, with its
//! data, and `down` leaves nothing.

#[path = "common/private_brokers.rs"]
mod private_brokers;

use std::net::TcpStream;
use std::time::Duration;

use private_brokers::PrivateBrokers;
use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use tokio::time::Instant;

const TOPIC: &str = "kept";
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_killed_broker_comes_back_with_its_data_and_down_leaves_nothing() {
    let brokers = PrivateBrokers::new("brokers-test", 29_192);
    let listens = || TcpStream::connect(brokers.kafka()).is_ok();

    brokers.run(&["start", "kafka"]);
    brokers.run(&["start", "kafka"]);
    write_one_record(&brokers.kafka());

    brokers.run(&["kill", "kafka"]);
    assert!(!listens(), "killed, and still listening");
    brokers.run(&["start", "kafka"]);
    assert_eq!(records(&brokers.kafka()), 1, "after a kill");

    brokers.run(&["stop", "kafka"]);
    assert!(!listens(), "stopped, and still listening");
    brokers.run(&["start", "kafka"]);
    assert_eq!(records(&brokers.kafka()), 1, "after a stop");

    let status = brokers.output(&["status"]).status;
    assert!(!status.success(), "NATS was never started");
    brokers.run(&["down"]);
    assert!(!listens(), "down, and still listening");
    brokers.run(&["down"]);
}

#[test]
fn an_unknown_command_is_a_usage_error() {
    let brokers = PrivateBrokers::new("brokers-usage", 29_292);
    for arguments in [&["destroy"][..], &["stop"], &["kill", "redis"], &[]] {
        let code = brokers.output(arguments).status.code();
        assert_eq!(code, Some(64), "{arguments:?}");
    }
}

fn config(address: &str) -> ClientConfig {
    let mut config = ClientConfig::new();
    config.set("bootstrap.servers", address);
    config
}

fn write_one_record(address: &str) {
    let producer: BaseProducer = config(address)
        .set("acks", "all")
        .create()
        .expect("a producer");
    let record = BaseRecord::<(), [u8]>::to(TOPIC).partition(0).payload(b"1");
    producer
        .send(record)
        .map_err(|(error, _)| error)
        .expect("queued");
    producer.flush(PATIENCE).expect("acknowledged");
}

/// How many records partition 0 of the topic holds.
fn records(address: &str) -> i64 {
    let consumer: BaseConsumer = config(address).create().expect("a consumer");
    let since = Instant::now();
    loop {
        match consumer.fetch_watermarks(TOPIC, 0, PATIENCE) {
            Ok((low, high)) => return high - low,
            // A broker that has just started answers before it leads its partitions.
            Err(error) => assert!(since.elapsed() < PATIENCE, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
