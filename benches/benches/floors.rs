//! Every engine and size in one process, round by round, against the floors of this project.
//!
//! `cargo bench --bench floors` prints the tables; with `-- --record` it also writes them to
//! `benches/records/`. A missed floor is reported and never fails the run: times depend on the
//! machine and its neighbours, answers do not. `-- --test` checks answers only.

use std::fmt::Write;
use std::hint::black_box;
use std::time::Duration;

use cloudevents_nl_benches::check::check;
use cloudevents_nl_benches::comparison::SEED;
use cloudevents_nl_benches::corpus::{CASE_BYTES, Case, SIZES};
use cloudevents_nl_benches::engine::{self, Engine};
use cloudevents_nl_benches::{clock, machine, mode};

/// Rounds per case; the fastest counts, because noise only ever adds time.
const ROUNDS: usize = 11;

/// How much faster than `cloudevents-sdk` ours must at least be, by size.
const DECODE_FLOORS: [f64; 5] = [11.0, 11.0, 9.0, 6.5, 5.3];
const ENCODE_FLOORS: [f64; 5] = [6.0, 7.0, 6.5, 5.8, 5.0];

fn main() {
    if mode::is_smoke() {
        for size in SIZES {
            let case = Case::generate(size, CASE_BYTES / 16, SEED);
            engine::all()
                .iter_mut()
                .for_each(|engine| check(&mut **engine, &case));
        }
        println!("floors: every engine answers right; nothing timed");
        return;
    }
    let cases = SIZES.map(|size| Case::generate(size, CASE_BYTES, SEED));
    let mut report = String::from("# Codec beside its rivals\n\n");
    report.push_str(&machine::description());
    table(&mut report, "Decode", &cases, DECODE_FLOORS, decode_all);
    table(&mut report, "Encode", &cases, ENCODE_FLOORS, encode_all);
    println!("{report}");
    if mode::has_flag("--record") {
        let path = machine::record("codec", &report).expect("the records folder is writable");
        println!("recorded in {}", path.display());
    }
}

fn decode_all(engine: &mut dyn Engine, case: &Case) -> Duration {
    clock::timed(|| {
        for text in case.texts() {
            engine.decode(text, &mut |_, body| {
                black_box(body);
            });
        }
    })
}

fn encode_all(engine: &mut dyn Engine, case: &Case) -> Duration {
    let headers = case.headers();
    clock::timed(|| {
        for message in case.messages(&headers) {
            engine.encode(&message, &mut |text| {
                black_box(text);
            });
        }
    })
}

/// Appends one table: per engine and size the time of one event, its rate, and the speed-up.
fn table(
    report: &mut String,
    title: &str,
    cases: &[Case],
    floors: [f64; 5],
    run: fn(&mut dyn Engine, &Case) -> Duration,
) {
    let names: Vec<_> = engine::all().iter().map(|engine| engine.name()).collect();
    let mut line = |text: &str| writeln!(report, "{text}").expect("a String takes all text");
    line(&format!(
        "\n## {title}: ns per event, MB/s, times as fast as cloudevents-sdk\n"
    ));
    line(&format!("| size | {} | floor |", names.join(" | ")));
    line(&format!("|---|{}---|", "---|".repeat(names.len())));
    for (case, floor) in cases.iter().zip(floors) {
        let fastest = fastest_rounds(case, run);
        let cells: String = fastest
            .iter()
            .map(|time| cell(case, *time, fastest[1]))
            .collect();
        let ratio = fastest[1].as_secs_f64() / fastest[0].as_secs_f64();
        let verdict = if ratio >= floor { "met" } else { "MISSED" };
        line(&format!(
            "| {} |{cells} {floor}×: {verdict} |",
            case.size.name
        ));
    }
}

fn fastest_rounds(case: &Case, run: fn(&mut dyn Engine, &Case) -> Duration) -> Vec<Duration> {
    let mut engines = engine::all();
    engines
        .iter_mut()
        .for_each(|engine| check(&mut **engine, case));
    let mut fastest = vec![Duration::MAX; engines.len()];
    for _ in 0..ROUNDS {
        for (engine, best) in engines.iter_mut().zip(&mut fastest) {
            *best = run(&mut **engine, case).min(*best);
        }
    }
    fastest
}

fn cell(case: &Case, time: Duration, sdk: Duration) -> String {
    let per_event = time.as_secs_f64() * 1e9 / case.samples.len() as f64;
    let rate = case.byte_len() as f64 / 1e6 / time.as_secs_f64();
    let ratio = sdk.as_secs_f64() / time.as_secs_f64();
    format!(" {per_event:.0} ns, {rate:.0}, **{ratio:.1}×** |")
}
