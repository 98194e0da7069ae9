//! Several bridges beside each other: what 1, 2 and 4 processes carry, and how long nothing is delivered when
//! one of them comes, goes, dies or is replaced.
//!
//! `cargo bench --bench route -- scaling` measures this and nothing else; with `--record` the result goes to
//! `benches/records/`. Every event is looked for at the receiver, and its order per key.

mod fleet;
mod incident;
mod supply;
mod throughput;

use cloudevents_nl_benches::{machine, mode};

use crate::Contest;

/// The word on the command line that asks for it.
pub(crate) const WORD: &str = "scaling";

/// Runs of each line.
const RUNS: usize = 3;

pub(crate) fn measure(contest: Contest, smoke: bool) {
    if smoke {
        throughput::smoke(&contest);
        incident::smoke(&contest);
        println!("scaling: every event arrived, in order of its key; rates mean nothing");
        return;
    }
    let contest = Contest {
        runs: RUNS,
        ..contest
    };
    let throughput = throughput::table(&contest);
    let incidents = incident::table(&contest);
    let report = format!(
        "# Several bridges beside each other, on real Kafka and NATS\n\n{}\n{throughput}\n{incidents}",
        machine::description(),
    );
    println!("{report}");
    if mode::has_flag("--record") {
        let path = machine::record(WORD, &report).expect("the records folder is writable");
        println!("recorded in {}", path.display());
    }
}

/// Prints each line as it comes.
fn table(head: &str, lines: impl Iterator<Item = String>) -> String {
    lines.fold(format!("{head}\n"), |text, line| {
        println!("{line}");
        text + &line + "\n"
    })
}
