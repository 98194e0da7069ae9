//! Webhook → Kafka: 64 senders, each answered only after Kafka's acknowledgement.

use std::path::Path;

use tokio::time::Instant;

use crate::brokers::Kafka;
use crate::child;
use crate::senders;
use crate::summary::{Contestant, Measured, Run};
use crate::traffic::Traffic;
use crate::{Work, bare_inbound};

pub(crate) fn measure(kafka: &Kafka, bridge: &Path, work: Work, runs: usize) -> Measured {
    let traffic = Traffic::new(work.size);
    let texts: Vec<_> = (0..work.events)
        .map(|number| traffic.structured(number))
        .collect();
    Measured::interleave(runs, |contestant| {
        let topic = kafka.create_topic("bench-inbound");
        let address = child::free_address();
        let listen = address.to_string();
        let child = match contestant {
            Contestant::Bare => child::bare(&[bare_inbound::ROLE, &kafka.brokers, &topic, &listen]),
            Contestant::Bridge => child::bridge(bridge, &settings(&kafka.brokers, &topic, &listen)),
        };
        child::wait_for_listener(address);
        let (mut start, mut cpu) = (Instant::now(), child.cpu());
        let latencies_us = senders::send(address, &texts, || {
            (start, cpu) = (Instant::now(), child.cpu());
        });
        let run = Run {
            events: work.events - work.events / 10,
            elapsed: start.elapsed(),
            cpu: child.cpu() - cpu,
            latencies_us,
        };
        child.stop();
        let roll_call = kafka.read(&topic, work.events);
        roll_call.assert_complete(&format!("{contestant:?}, webhook to Kafka"));
        kafka.delete_topic(&topic);
        run
    })
}

fn settings(brokers: &str, topic: &str, listen: &str) -> String {
    child::settings(
        brokers,
        &[
            ("[http.in]", &[("listen", listen)]),
            ("[[route]]", &[("name", "bench")]),
            ("[route.source]", &[("http", "in"), ("path", senders::PATH)]),
            ("[route.sink]", &[("kafka", "main"), ("topic", topic)]),
        ],
    )
}
