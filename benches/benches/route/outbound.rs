//! Kafka → webhook: one topic, read in turn by the bare pipe and the bridge.

use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use crate::brokers::Kafka;
use crate::child::{self, Child};
use crate::receiver::{self, Endpoint, Milestone};
use crate::summary::{Contestant, Measured, Run};
use crate::traffic::Traffic;
use crate::{Work, bare_outbound};

const PATIENCE_S: usize = 120;

pub(crate) fn measure(kafka: &Kafka, bridge: &Path, work: Work, runs: usize) -> Measured {
    let topic = kafka.create_topic("bench-outbound");
    kafka.fill(&topic, &Traffic::new(work.size), work.events);
    let measured = Measured::interleave(runs, |contestant| {
        let endpoint = receiver::start(work.events, Duration::from_millis(work.receiver_ms));
        let group = format!("bench-{:012x}", fastrand::u64(..1 << 48));
        let url = format!("http://{}/events", endpoint.address);
        let child = match contestant {
            Contestant::Bare => {
                child::bare(&[bare_outbound::ROLE, &kafka.brokers, &topic, &group, &url])
            }
            Contestant::Bridge => {
                child::bridge(bridge, &settings(&kafka.brokers, &topic, &group, &url))
            }
        };
        one_run(contestant, work, &endpoint, child)
    });
    kafka.delete_topic(&topic);
    measured
}

fn one_run(contestant: Contestant, work: Work, endpoint: &Endpoint, mut child: Child) -> Run {
    let next = |child: &mut Child| {
        for _ in 0..PATIENCE_S {
            if let Ok(milestone) = endpoint.milestones.recv_timeout(Duration::from_secs(1)) {
                return milestone;
            }
            assert!(
                child.is_running(),
                "{contestant:?} ended; CENL_BENCH_LOG=1 shows why"
            );
        }
        panic!("{contestant:?} did not finish in {PATIENCE_S} s");
    };
    assert!(
        matches!(next(&mut child), Milestone::Warm),
        "a tenth comes before the whole"
    );
    let (start, cpu) = (Instant::now(), child.cpu());
    let Milestone::Complete(roll_call) = next(&mut child) else {
        panic!("there is one warm-up")
    };
    let run = Run {
        events: work.events - work.events / 10,
        elapsed: start.elapsed(),
        cpu: child.cpu() - cpu,
        latencies_us: Vec::new(),
    };
    roll_call.assert_complete(&format!("{contestant:?}, Kafka to webhook"));
    child.stop();
    run
}

fn settings(brokers: &str, topic: &str, group: &str, url: &str) -> String {
    child::settings(
        brokers,
        &[
            ("[[route]]", &[("name", "bench"), ("on_error", "hold")]),
            (
                "[route.source]",
                &[("kafka", "main"), ("topic", topic), ("group", group)],
            ),
            ("[route.sink]", &[("url", url)]),
        ],
    )
}
