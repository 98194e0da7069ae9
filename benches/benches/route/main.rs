//! The bridge on real brokers beside a bare pipe: what does its care for events cost?
//!
//! `cargo bench --bench route` runs bare pipe and bridge in turn, several times each, and compares
//! the medians. The bare pipe joins the same clients (rdkafka, async-nats, hyper) with acknowledgement carried
//! through and does nothing for CloudEvents. Both are processes of their own; the receiver, or the
//! senders, are threads of this one. Every run checks that every event arrived, and its order per key.
//! `-- --record` writes the result to `benches/records/`; `-- --test` is one short run of each;
//! `-- "Kafka → webhook"` measures paths of that name alone, `-- scaling` several bridges beside each other.

mod bare;
mod carried;
mod child;
mod end;
mod kafka;
mod nats;
mod paced;
mod party;
mod path;
mod posted;
mod receiver;
mod roll_call;
mod scaling;
mod senders;
mod summary;
mod traffic;

use std::path::PathBuf;

use cloudevents_nl_benches::{machine, mode};

use child::Child;
use end::Brokers;
use party::{Parties, Party};
use path::{End, Path};
use summary::Summary;
use traffic::Keys;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// One line of the result.
#[derive(Clone, Copy, Debug)]
struct Work {
    path: Path,
    /// Size class in the corpus.
    size: &'static str,
    events: usize,
    /// How long the receiver takes for each event.
    receiver_ms: u64,
    keys: Keys,
    /// How the bridge writes events.
    mode: &'static str,
    /// The part of the bare pipe's rate that the bridge should reach.
    goal: f64,
}

impl Work {
    const fn new(path: Path, size: &'static str, events: usize, goal: f64) -> Self {
        Self {
            path,
            size,
            events,
            receiver_ms: 0,
            keys: Keys::InTurn,
            mode: match path.ends().1 {
                End::Kafka => "binary",
                End::JetStream | End::Webhook => "structured",
            },
            goal,
        }
    }

    /// What its line of the result is called.
    fn name(&self) -> String {
        let delay = match self.receiver_ms {
            0 => String::new(),
            delay => format!(", receiver takes {delay} ms"),
        };
        let (path, keys) = (self.path.name(), self.keys.words());
        format!("{path}, {}, {}{keys}{delay}", self.size, self.mode)
    }
}

const WORK: [Work; 14] = [
    Work::new(Path::KafkaToWebhook, "300B", 60_000, 0.95),
    Work::new(Path::KafkaToWebhook, "1KiB", 60_000, 0.95),
    Work::new(Path::KafkaToWebhook, "16KiB", 20_000, 0.95),
    Work {
        mode: "binary",
        ..Work::new(Path::KafkaToWebhook, "1KiB", 60_000, 0.95)
    },
    Work {
        mode: "binary",
        ..Work::new(Path::KafkaToWebhook, "16KiB", 20_000, 0.95)
    },
    Work {
        receiver_ms: 5,
        ..Work::new(Path::KafkaToWebhook, "1KiB", 20_000, 0.95)
    },
    Work::new(Path::WebhookToKafka, "1KiB", 40_000, 0.8),
    Work::new(Path::WebhookToKafka, "16KiB", 20_000, 0.6),
    Work::new(Path::KafkaToJetStream, "1KiB", 100_000, 0.8),
    Work {
        mode: "binary",
        ..Work::new(Path::KafkaToJetStream, "1KiB", 100_000, 0.8)
    },
    Work {
        mode: "binary",
        keys: Keys::Random,
        ..Work::new(Path::KafkaToJetStream, "1KiB", 100_000, 0.8)
    },
    Work {
        mode: "binary",
        keys: Keys::Zipf,
        ..Work::new(Path::KafkaToJetStream, "1KiB", 100_000, 0.8)
    },
    Work::new(Path::JetStreamToKafka, "1KiB", 100_000, 0.95),
    Work::new(Path::JetStreamToWebhook, "1KiB", 60_000, 0.95),
];

/// Runs of each contestant per line; the median counts.
const RUNS: usize = 5;

/// What every line shares.
struct Contest {
    brokers: Brokers,
    /// The bridge's program.
    bridge: PathBuf,
    runs: usize,
}

impl Contest {
    /// Who works in a run; a broker that `scripts/brokers` did not start as a process is left out.
    fn parties(&self, path: Path, child: &Child) -> Parties {
        let (from, to) = path.ends();
        let broker = |end| match end {
            End::Kafka => Party::broker("kafka"),
            End::JetStream => Party::broker("nats"),
            End::Webhook => None,
        };
        Parties {
            contestant: child.party(),
            brokers: [from, to].into_iter().filter_map(broker).collect(),
        }
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((role, arguments)) if role == bare::ROLE => bare::main(arguments),
        _ => measure(),
    }
}

fn measure() {
    let smoke = mode::is_smoke();
    let contest = Contest {
        brokers: Brokers {
            kafka: kafka::kafka(),
            nats: nats::nats(),
        },
        bridge: child::build_bridge(),
        runs: if smoke { 1 } else { RUNS },
    };
    if mode::has_flag(scaling::WORD) {
        scaling::measure(contest, smoke);
        return;
    }
    let mut summary = Summary::default();
    for work in WORK {
        if !mode::wants(&work.name()) {
            continue;
        }
        let events = if smoke { 500 } else { work.events };
        let work = Work { events, ..work };
        let measured = match work.path.ends() {
            (End::Webhook, _) => posted::measure(&contest, work),
            _ => carried::measure(&contest, work),
        };
        let line = summary.add(work, &measured);
        if !smoke {
            println!("{line}");
        }
    }
    for path in paced::PATHS {
        // A smoke run measures nothing, and a pace is all that is new here.
        if smoke || !mode::wants(path.name()) {
            continue;
        }
        let rate = if smoke {
            100.0
        } else {
            summary.rate(path) / 2.0
        };
        let work = Work {
            events: (rate * paced::LENGTH.as_secs_f64()) as usize,
            ..Work::new(path, "1KiB", 0, 0.0)
        };
        let line = summary.add_paced(work, rate, &paced::measure(&contest, work, rate));
        println!("{line}");
    }
    if smoke {
        println!("route: every event arrived once and in order, on every path; rates mean nothing");
        scaling::measure(contest, smoke);
        return;
    }
    let report = format!(
        "# Bridge beside a bare pipe, on real Kafka and NATS\n\n{}{}",
        machine::description(),
        summary.table()
    );
    println!("{report}");
    if mode::has_flag("--record") {
        let path = machine::record("route", &report).expect("the records folder is writable");
        println!("recorded in {}", path.display());
    }
}
