//! Throughput: what 1, 2 and 4 processes carry of events that come at once.

use tokio::time::Instant;

use super::fleet::Fleet;
use super::supply::{Source, Supply};
use crate::Contest;
use crate::receiver;
use crate::summary::median;
use crate::traffic::Keys;

/// Bursts of events that one fleet carries. Each is a line of the result.
struct Load {
    source: Source,
    keys: Keys,
    /// How long the receiver takes for an event, in milliseconds, and how many events come.
    bursts: &'static [(u64, usize)],
}

const LOADS: [Load; 4] = [
    Load {
        source: Source::Group,
        keys: Keys::InTurn,
        bursts: &[(5, 60_000), (50, 10_000)],
    },
    Load {
        source: Source::Durables,
        keys: Keys::InTurn,
        bursts: &[(5, 60_000), (50, 10_000)],
    },
    Load {
        source: Source::Group,
        keys: Keys::OnePartition,
        bursts: &[(50, 5_000)],
    },
    Load {
        source: Source::Group,
        keys: Keys::Few,
        bursts: &[(50, 2_000)],
    },
];

const HEAD: &str = "\
    | 64 in flight for each process | 1 process: events/s (all runs); cores used by bridges, broker, receiver with loader | 2 | 4 |
|---|---|---|---|";

/// One burst, which was there at once, from when a tenth of it had arrived to its last event.
struct Run {
    rate: f64,
    cores: [f64; 3],
}

/// A short run of one process and of two, from each kind of source.
pub(super) fn smoke(contest: &Contest) {
    for load in &LOADS[..2] {
        let bursts = &[(5, 500)];
        lines(contest, &Load { bursts, ..*load }, &[1, 2]);
    }
}

/// The table of all loads.
pub(super) fn table(contest: &Contest) -> String {
    let lines = LOADS.iter().map(|load| lines(contest, load, &[1, 2, 4]));
    super::table(HEAD, lines.flatten())
}

/// A line for each burst, with a cell for each number of processes.
fn lines(contest: &Contest, load: &Load, fleets: &[usize]) -> Vec<String> {
    let columns = fleets
        .iter()
        .map(|processes| column(contest, load, *processes));
    let columns: Vec<_> = columns.collect();
    let line = |(at, (receiver_ms, events)): (usize, &(u64, usize))| {
        let cells: Vec<_> = columns.iter().map(|column| column[at].as_str()).collect();
        let (source, keys) = (load.source.name(), load.keys.words());
        let cells = cells.join(" | ");
        format!("| {source}{keys}, {events} events, receiver takes {receiver_ms} ms | {cells} |")
    };
    load.bursts.iter().enumerate().map(line).collect()
}

/// What so many processes carry of each burst.
fn column(contest: &Contest, load: &Load, processes: usize) -> Vec<String> {
    let events: usize = load.bursts.iter().map(|(_, events)| events).sum();
    let supply = Supply::create(contest, load.source, load.keys, processes);
    let receiver = receiver::start(events * contest.runs, load.keys, 0);
    let mut fleet = Fleet::start(contest, &supply, &receiver, processes);
    let mut written = 0;
    let mut run = |events: usize| {
        // Else what writes them would bound how fast they are delivered.
        fleet.frozen(|| {
            supply.write(written..written + events, None);
        });
        fleet.wait_for_arrivals(written + events / 10);
        let (start, usage, arrived) = (Instant::now(), fleet.usage(), receiver.arrived());
        written += events;
        fleet.wait_for_arrivals(written);
        let (elapsed, usage) = (start.elapsed(), fleet.usage().since(usage));
        let used = [usage.contestant, usage.brokers, usage.load];
        Run {
            rate: (written - arrived) as f64 / elapsed.as_secs_f64(),
            cores: used.map(|used| used.as_secs_f64() / elapsed.as_secs_f64()),
        }
    };
    let bursts = load.bursts.iter().map(|(receiver_ms, events)| {
        receiver.take(*receiver_ms);
        let runs: Vec<_> = (0..contest.runs).map(|_| run(*events)).collect();
        cell(&runs)
    });
    let cells = bursts.collect();
    fleet.stop();
    receiver.roll_call().assert_complete(load.source.name());
    supply.delete();
    cells
}

fn cell(runs: &[Run]) -> String {
    let rates: Vec<_> = runs.iter().map(|run| run.rate).collect();
    let all: Vec<_> = rates.iter().map(|rate| format!("{rate:.0}")).collect();
    let cores = [0, 1, 2].map(|party| {
        let cores = median(runs.iter().map(|run| run.cores[party]).collect());
        format!("{cores:.2}")
    });
    let (rate, all, cores) = (median(rates), all.join(", "), cores.join(", "));
    format!("**{rate:.0}** ({all}); {cores}")
}
