//! The sink against the mock broker.

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_codec::HeaderList;
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::{Headers, Message, OwnedMessage};
use rdkafka::types::{RDKafkaApiKey, RDKafkaRespErr};
use rdkafka::{Offset, TopicPartitionList};

use super::{Broker, PATIENCE, TOPIC, run};
use crate::outcome::{Outcome, RefusedReason, UntrustedReason};
use crate::transport::kafka::settings::SinkSettings;
use crate::transport::kafka::sink::{KafkaSink, Profile};
use crate::transport::{Outgoing, Sink};

pub(super) fn event(body: &str) -> Rc<Outgoing> {
    Rc::new(Outgoing {
        headers: HeaderList::default(),
        body: Some(Bytes::copy_from_slice(body.as_bytes())),
        key: None,
        timestamp_ms: None,
        ..Outgoing::default()
    })
}

fn sink(broker: &Broker, message_timeout_ms: u64, properties: &[(&str, &str)]) -> Rc<KafkaSink> {
    let settings = SinkSettings {
        message_timeout: Duration::from_millis(message_timeout_ms),
        ..SinkSettings::new(TOPIC)
    };
    KafkaSink::new(&broker.cluster(properties), &settings, Profile::LowLatency).unwrap()
}

fn read(broker: &Broker, count: usize) -> Vec<OwnedMessage> {
    let consumer: BaseConsumer = broker.client().set("group.id", "reader").create().unwrap();
    let mut list = TopicPartitionList::new();
    list.add_partition_offset(TOPIC, 0, Offset::Beginning)
        .unwrap();
    consumer.assign(&list).unwrap();
    let read = || consumer.poll(PATIENCE).unwrap().unwrap().detach();
    std::iter::repeat_with(read).take(count).collect()
}

#[test]
fn mock_records_are_written_exactly() {
    let broker = Broker::new(1);
    let mut headers = HeaderList::default();
    headers.push("ce_id", Some("é 1".as_bytes()));
    headers.push("x", None);
    headers.push("x", Some(b""));
    let full = Outgoing {
        headers,
        body: Some(Bytes::from_static(b"\x00{}")),
        key: Some(Bytes::from_static(b"key")),
        timestamp_ms: Some(1_700_000_000_123),
        ..Outgoing::default()
    };
    let empty = Outgoing {
        headers: HeaderList::default(),
        body: Some(Bytes::new()),
        key: Some(Bytes::new()),
        timestamp_ms: None,
        ..Outgoing::default()
    };
    let null = Outgoing {
        headers: HeaderList::default(),
        body: None,
        key: None,
        timestamp_ms: None,
        ..Outgoing::default()
    };
    run(async {
        let sink = sink(&broker, 10_000, &[]);
        for event in [full, empty, null] {
            assert_eq!(sink.send(vec![Rc::new(event)]).await, Outcome::Delivered);
        }
    });
    let read = read(&broker, 3);
    let headers = read[0].headers().unwrap();
    let headers: Vec<_> = headers
        .iter()
        .map(|h| (h.key.to_owned(), h.value.map(<[u8]>::to_vec)))
        .collect();
    assert_eq!(
        headers,
        [
            ("ce_id".to_owned(), Some("é 1".as_bytes().to_vec())),
            ("x".to_owned(), None),
            ("x".to_owned(), Some(vec![])),
        ]
    );
    assert_eq!(read[0].payload(), Some(&b"\x00{}"[..]));
    assert_eq!(read[0].key(), Some(&b"key"[..]));
    assert_eq!(read[0].timestamp().to_millis(), Some(1_700_000_000_123));
    assert_eq!(
        (read[1].key(), read[1].payload()),
        (Some(&b""[..]), Some(&b""[..]))
    );
    assert!(read[1].timestamp().to_millis() > Some(1_700_000_000_123));
    assert_eq!((read[2].key(), read[2].payload()), (None, None));
}

#[test]
fn mock_passing_errors_are_retried_by_the_client() {
    let broker = Broker::new(1);
    let error = RDKafkaRespErr::RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS;
    broker
        .mock
        .request_errors(RDKafkaApiKey::Produce, &[error, error]);
    let outcome = run(async { sink(&broker, 10_000, &[]).send(vec![event("a")]).await });
    assert_eq!(outcome, Outcome::Delivered);
    assert_eq!(read(&broker, 1)[0].payload(), Some(&b"a"[..]));
}

#[test]
fn mock_an_event_refused_with_its_batch_is_judged_alone() {
    let broker = Broker::new(1);
    run(async {
        let sink = sink(&broker, 10_000, &[]);
        for (error, reason) in [
            (
                RDKafkaRespErr::RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE,
                RefusedReason::TooLarge,
            ),
            (
                RDKafkaRespErr::RD_KAFKA_RESP_ERR_INVALID_RECORD,
                RefusedReason::Other("invalid-record"),
            ),
            (
                RDKafkaRespErr::RD_KAFKA_RESP_ERR_POLICY_VIOLATION,
                RefusedReason::Other("invalid-record"),
            ),
            (
                RDKafkaRespErr::RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP,
                RefusedReason::InvalidTimestamp,
            ),
        ] {
            let errors = |errors: &[_]| broker.mock.request_errors(RDKafkaApiKey::Produce, errors);
            errors(&[error]);
            assert_eq!(sink.send(vec![event("innocent")]).await, Outcome::Delivered);
            errors(&[error, error]);
            let outcome = sink.send(vec![event("guilty")]).await;
            assert_eq!(outcome, Outcome::Refused(reason));
        }
    });
}

#[test]
fn mock_an_unauthorised_topic_holds() {
    let broker = Broker::new(1);
    let error = RDKafkaRespErr::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
    broker.mock.request_errors(RDKafkaApiKey::Produce, &[error]);
    let outcome = run(async { sink(&broker, 10_000, &[]).send(vec![event("a")]).await });
    assert_eq!(outcome, Outcome::Untrusted(UntrustedReason::NotAuthorised));
}

#[test]
fn mock_a_broker_that_is_away_is_unreachable_and_heals() {
    let broker = Broker::new(1);
    run(async {
        let sink = sink(&broker, 1500, &[]);
        super::until("the sink is connected", async || {
            sink.send(vec![event("before")]).await == Outcome::Delivered
        })
        .await;
        broker.mock.broker_down(-1).unwrap();
        let away = sink.send(vec![event("away")]).await;
        assert_eq!(away, Outcome::Unreachable("timeout"));
        broker.mock.broker_up(-1).unwrap();
        let patient = SinkSettings {
            message_timeout: Duration::from_secs(10),
            ..SinkSettings::new(TOPIC)
        };
        let patient = KafkaSink::new(&broker.cluster(&[]), &patient, Profile::LowLatency).unwrap();
        assert_eq!(patient.send(vec![event("after")]).await, Outcome::Delivered);
        super::until("the sink heals", async || {
            sink.send(vec![event("healed")]).await == Outcome::Delivered
        })
        .await;
    });
}

#[test]
fn mock_a_full_queue_holds_back_and_keeps_order() {
    let broker = Broker::new(1);
    broker
        .mock
        .broker_round_trip_time(-1, Duration::from_millis(20))
        .unwrap();
    let bodies: Vec<String> = (0..40).map(|n| n.to_string()).collect();
    run(async {
        let sink = sink(&broker, 20_000, &[("queue.buffering.max.messages", "3")]);
        let outcomes = bodies.iter().map(|body| sink.send(vec![event(body)]));
        let outcomes: Vec<_> = outcomes.collect();
        // Asked in reverse: order must come from the calls, not from who waits first.
        for outcome in join_all(outcomes.into_iter().rev()).await {
            assert_eq!(outcome, Outcome::Delivered);
        }
    });
    let read = read(&broker, bodies.len());
    let read: Vec<_> = read
        .iter()
        .map(|m| String::from_utf8_lossy(m.payload().unwrap()))
        .collect();
    assert_eq!(read, bodies);
}

#[test]
fn mock_a_full_queue_ends_with_the_exchange() {
    let broker = Broker::new(1);
    run(async {
        let sink = sink(&broker, 1500, &[("queue.buffering.max.messages", "1")]);
        broker.mock.broker_down(-1).unwrap();
        let outcomes = (0..3)
            .map(|_| sink.send(vec![event("a")]))
            .collect::<Vec<_>>();
        for outcome in join_all(outcomes).await {
            assert!(matches!(outcome, Outcome::Unreachable(_)), "{outcome:?}");
        }
    });
}

/// What waits for the queue is handed over by turns, not in the order of all events.
#[test]
fn mock_a_sink_gets_its_turn_beside_one_that_fills_the_queue() {
    let broker = Broker::new(1);
    broker
        .mock
        .broker_round_trip_time(-1, Duration::from_millis(20))
        .unwrap();
    run(async {
        let properties = [("queue.buffering.max.messages", "3")];
        let [busy, other] = [(); 2].map(|()| sink(&broker, 20_000, &properties));
        let send = |sink: &Rc<KafkaSink>| sink.send(vec![event("a")]);
        let mut flood: FuturesUnordered<_> = (0..300).map(|_| send(&busy)).collect();
        let others: Vec<_> = (0..3).map(|_| send(&other)).collect();
        let mut others = join_all(others);
        let mut earlier = 0;
        let outcomes = loop {
            tokio::select! {
                biased;
                outcomes = &mut others => break outcomes,
                Some(outcome) = flood.next() => {
                    assert_eq!(outcome, Outcome::Delivered);
                    earlier += 1;
                }
            }
        };
        assert_eq!(outcomes, [const { Outcome::Delivered }; 3]);
        assert!(earlier < 30, "{earlier} of the other sink were first");
        assert!(
            flood
                .all(async |outcome| outcome == Outcome::Delivered)
                .await
        );
    });
}
