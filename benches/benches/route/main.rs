//! The bridge on real brokers beside a bare pipe: what does its care for events cost?
//!
//! `cargo bench --bench route` runs bare pipe and bridge in turn, several times each, and compares
//! the medians. The bare pipe joins the same clients (rdkafka, hyper) with acknowledgement carried
//! through and does nothing for CloudEvents. Both are processes of their own; the receiver, or the
//! senders, are threads of this one. Every run checks that every event arrived, and its order per key.
//! `-- --record` writes the result to `benches/records/`; `-- --test` is one short run of each.

mod bare_inbound;
mod bare_outbound;
mod brokers;
mod child;
mod inbound;
mod outbound;
mod receiver;
mod roll_call;
mod senders;
mod summary;
mod traffic;

use cloudevents_nl_benches::{machine, mode};

use summary::{Direction, Summary};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// One line of the result.
#[derive(Clone, Copy, Debug)]
struct Work {
    direction: Direction,
    /// Size class in the corpus.
    size: &'static str,
    events: usize,
    /// How long the receiver takes for each event.
    receiver_ms: u64,
    /// The part of the bare pipe's rate that the bridge should reach.
    goal: f64,
}

const WORK: [Work; 5] = [
    Work {
        direction: Direction::Outbound,
        size: "1KiB",
        events: 60_000,
        receiver_ms: 0,
        goal: 0.6,
    },
    Work {
        direction: Direction::Outbound,
        size: "16KiB",
        events: 20_000,
        receiver_ms: 0,
        goal: 0.6,
    },
    Work {
        direction: Direction::Outbound,
        size: "1KiB",
        events: 20_000,
        receiver_ms: 5,
        goal: 0.8,
    },
    Work {
        direction: Direction::Inbound,
        size: "1KiB",
        events: 40_000,
        receiver_ms: 0,
        goal: 0.6,
    },
    Work {
        direction: Direction::Inbound,
        size: "16KiB",
        events: 20_000,
        receiver_ms: 0,
        goal: 0.6,
    },
];

/// Runs of each contestant per line; the median counts.
const RUNS: usize = 5;

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some(bare_outbound::ROLE) => bare_outbound::main(&arguments[1..]),
        Some(bare_inbound::ROLE) => bare_inbound::main(&arguments[1..]),
        _ => measure(),
    }
}

fn measure() {
    let smoke = mode::is_smoke();
    let kafka = brokers::kafka();
    let bridge = child::build_bridge();
    let mut summary = Summary::default();
    for work in WORK {
        let events = if smoke { 500 } else { work.events };
        let work = Work { events, ..work };
        let runs = if smoke { 1 } else { RUNS };
        let measured = match work.direction {
            Direction::Outbound => outbound::measure(&kafka, &bridge, work, runs),
            Direction::Inbound => inbound::measure(&kafka, &bridge, work, runs),
        };
        let line = summary.add(work, &measured);
        if !smoke {
            println!("{line}");
        }
    }
    if smoke {
        println!("route: every event arrived once and in order, either way; rates mean nothing");
        return;
    }
    let report = format!(
        "# Bridge beside a bare pipe, on real Kafka\n\n{}{}",
        machine::description(),
        summary.table()
    );
    println!("{report}");
    if mode::has_flag("--record") {
        let path = machine::record("route", &report).expect("the records folder is writable");
        println!("recorded in {}", path.display());
    }
}
