//! HTTP/2 beside HTTP/1.1, from Kafka to a webhook over TLS.
//!
//! `cargo bench --bench route -- http-versions` measures this and nothing else; with `--record` the result goes
//! to `benches/records/`. Every event is looked for at the receiver, and its order per key.

use cloudevents_nl_benches::{machine, mode};

use crate::end::{Far, Near};
use crate::path::Path;
use crate::summary::{Contestant, Figures};
use crate::traffic::Traffic;
use crate::{Contest, Work, carried};

/// The word on the command line that asks for it.
pub(crate) const WORD: &str = "http-versions";

const VERSIONS: [&str; 2] = ["http/1.1", "h2"];

/// Size, events, and how long the receiver takes, in milliseconds.
const LOADS: [(&str, usize, u64); 5] = [
    ("300B", 60_000, 0),
    ("1KiB", 60_000, 0),
    ("16KiB", 20_000, 0),
    ("1KiB", 60_000, 5),
    ("1KiB", 20_000, 50),
];

const HEAD: &str = "\
    | 64 in flight | `http/1.1`: events/s (all runs); CPU µs per event: bridge, broker, receiver; peak MiB | `h2`: the same | ratio |
|---|---|---|---|";

pub(crate) fn measure(contest: &Contest, smoke: bool) {
    let mut lines = vec![HEAD.to_owned()];
    let loads = if smoke { &LOADS[1..2] } else { &LOADS };
    for (size, events, receiver_ms) in loads {
        let events = if smoke { 500 } else { *events };
        let work = Work {
            receiver_ms: *receiver_ms,
            ..Work::new(Path::KafkaToWebhook, size, events, 0.0)
        };
        let [http1, http2] = figures(contest, work);
        let ratio = http2.rate / http1.rate;
        let line = format!(
            "| {size}, receiver takes {receiver_ms} ms | {http1} | {http2} | **{ratio:.2}** |"
        );
        if !smoke {
            println!("{line}");
        }
        lines.push(line);
    }
    if smoke {
        println!("{WORD}: every event arrived once and in order; rates mean nothing");
        return;
    }
    let report = format!(
        "# HTTP/2 beside HTTP/1.1, from Kafka to a webhook over TLS\n\n{}\n{}\n",
        machine::description(),
        lines.join("\n")
    );
    if mode::has_flag("--record") {
        let path = machine::record(WORD, &report).expect("the records folder is writable");
        println!("recorded in {}", path.display());
    }
}

/// In turn, so that a disturbance hits both.
fn figures(contest: &Contest, work: Work) -> [Figures; 2] {
    let (from, to) = work.path.ends();
    let near = Near::create(from, &contest.brokers);
    near.write(&Traffic::new(work.size, work.keys), 0..work.events, None);
    let mut runs = VERSIONS.map(|_| Vec::new());
    for _ in 0..contest.runs {
        for (version, runs) in VERSIONS.iter().zip(&mut runs) {
            let work = Work {
                http_version: Some(version),
                ..work
            };
            let far = Far::open(to, &contest.brokers, work);
            let bridge = Contestant::Bridge;
            runs.push(carried::one_run(contest, bridge, work, &near, &far));
            far.close();
        }
    }
    near.delete();
    runs.map(|runs| Figures::of(&runs))
}
