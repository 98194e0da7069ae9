//! How long nothing is delivered when a process comes, goes, dies or is replaced, while events are written
//! at an even pace that the receiver can take.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use tokio::time::Instant;

use super::fleet::Fleet;
use super::supply::{Source, Supply};
use crate::Contest;
use crate::receiver;
use crate::traffic::{Keys, PARTITIONS};

/// Events a second.
const RATE: f64 = 1000.0;
const RECEIVER_MS: u64 = 5;
/// More events than all rounds of a fleet have.
const MOST: usize = 1_000_000;
/// Events that arrive before anything happens, and once all is settled.
const CALM: usize = 1000;
/// Processes, when nothing happens.
const PROCESSES: usize = 2;

const HEAD: &str = "\
    | source | what happens | longest time without delivery, of a quarter of the keys, s (all runs) | of all keys | repeats in each run |
|---|---|---|---|---|";

/// What happens, in words and in deed.
type Incident = (&'static str, fn(&mut Fleet<'_>));

/// One round; it ends with as many processes as it began.
const ROUND: [Incident; 5] = [
    ("nothing", |_| {}),
    (
        "each of 2 processes is stopped (SIGTERM) and started again, in turn",
        |fleet| fleet.roll(),
    ),
    (
        "1 of 2 processes is killed (kill -9) and started again",
        |fleet| fleet.kill(),
    ),
    ("a third process joins", |fleet| fleet.join()),
    ("1 of 3 processes leaves (SIGTERM)", |fleet| fleet.leave()),
];

/// The first two of a short round.
pub(super) fn smoke(contest: &Contest) {
    lines(contest, Source::Durables, &ROUND[..2]);
}

/// The table of all incidents.
pub(super) fn table(contest: &Contest) -> String {
    let sources = [Source::Group, Source::NamedGroup, Source::Durables];
    let lines = sources
        .into_iter()
        .map(|source| lines(contest, source, &ROUND));
    super::table(HEAD, lines.flatten())
}

/// A line for each incident of a round, which is repeated by one fleet.
fn lines(contest: &Contest, source: Source, round: &[Incident]) -> Vec<String> {
    let supply = Supply::create(contest, source, Keys::InTurn, PROCESSES);
    let receiver = receiver::start(MOST, Keys::InTurn, RECEIVER_MS);
    let mut fleet = Fleet::start(contest, &supply, &receiver, PROCESSES);
    let mut written = 0;
    let mut run = |(_, happen): &Incident| {
        let (start, is_over) = (written, AtomicBool::new(false));
        let numbers = (start..).take_while(|_| !is_over.load(Ordering::Relaxed));
        let (events, happened) = thread::scope(|scope| {
            let writer = scope.spawn(|| supply.write(numbers, Some(RATE)));
            fleet.wait_for_arrivals(start + CALM);
            let happened = Instant::now();
            happen(&mut fleet);
            fleet.settle();
            fleet.wait_for_arrivals(receiver.arrived() + CALM);
            is_over.store(true, Ordering::Relaxed);
            let events = writer.join().expect("the broker takes the events");
            (events, happened)
        });
        written += events;
        fleet.wait_for_arrivals(written);
        (start..written, happened)
    };
    let rounds = (0..contest.runs).flat_map(|_| round);
    let runs: Vec<_> = rounds.map(&mut run).collect();
    fleet.stop();
    let roll_call = receiver.roll_call().first(written);
    roll_call.assert_promise(source.name());
    let line = |(at, (name, _)): (usize, &Incident)| {
        let runs: Vec<_> = runs.iter().skip(at).step_by(round.len()).collect();
        let gap_of_a_quarter = runs.iter().map(|(numbers, happened)| {
            let gap = |quarter| {
                let of_it = |number: &usize| supply.partition(*number) == quarter;
                roll_call.longest_gap(*happened, numbers.clone().filter(of_it))
            };
            (0..PARTITIONS).map(gap).max().unwrap_or_default()
        });
        let gap_of_all = runs
            .iter()
            .map(|(numbers, happened)| roll_call.longest_gap(*happened, numbers.clone()));
        let repeats = runs
            .iter()
            .map(|(numbers, _)| roll_call.repeats(numbers).to_string());
        let (quarter, all) = (longest(gap_of_a_quarter), longest(gap_of_all));
        let repeats = repeats.collect::<Vec<_>>().join(", ");
        let source = source.name();
        format!("| {source} | {name} | {quarter} | {all} | {repeats} |")
    };
    let lines = round.iter().enumerate().map(line).collect();
    supply.delete();
    lines
}

/// The longest of all runs, and each of them, in seconds.
fn longest(gaps: impl Iterator<Item = Duration>) -> String {
    let gaps: Vec<_> = gaps.collect();
    let all: Vec<_> = gaps
        .iter()
        .map(|gap| format!("{:.2}", gap.as_secs_f64()))
        .collect();
    let longest = gaps.iter().max().copied().unwrap_or_default();
    format!("**{:.2}** ({})", longest.as_secs_f64(), all.join(", "))
}
