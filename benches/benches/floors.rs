//! Every engine, size and kind of data in one process, round by round, against the floors of this project.
//!
//! `cargo bench --bench floors` prints the tables; words such as `xml` or `decode` choose some of them,
//! and with `--record` they are also written to `benches/records/`. A missed floor is reported and never
//! fails the run: times depend on the machine and its neighbours, answers do not. `--test` checks answers only.

#[path = "floors/cell.rs"]
mod cell;
#[path = "floors/limits.rs"]
mod limits;
#[path = "floors/paths.rs"]
mod paths;

use std::fmt::Write;
use std::hint::black_box;

use cell::{Cell, slices};
use cloudevents_nl_benches::check::check;
use cloudevents_nl_benches::comparison::SEED;
use cloudevents_nl_benches::corpus::{CASE_BYTES, Case, Kind, SIZES, SMOKE_BYTES};
use cloudevents_nl_benches::engine::{self, Engine};
use cloudevents_nl_benches::{machine, mode};
use cloudevents_nl_codec::{Decoder, Event, JsonText, encode_structured};
use limits::{Direction, Floor};

fn main() {
    if mode::is_smoke() {
        for kind in Kind::ALL {
            for size in SIZES {
                let case = Case::generate(kind, size, SMOKE_BYTES, SEED);
                engine::all()
                    .iter_mut()
                    .for_each(|engine| check(&mut **engine, &case));
            }
        }
        println!("floors: every engine answers right; nothing timed");
        return;
    }
    let mut report = String::from("# Codec beside its rivals\n\n");
    for kind in Kind::ALL {
        for direction in [Direction::Decode, Direction::Encode] {
            if mode::wants(&format!("{} {}", direction.name(), kind.name())) {
                table(&mut report, direction, kind);
            }
        }
    }
    if mode::wants("decode paths") {
        report += &paths::table();
    }
    // Last, because it says how busy the machine was.
    let report = report.replacen("\n\n", &format!("\n\n{}", machine::description()), 1);
    println!("{report}");
    if mode::has_flag("--record") {
        let path = machine::record("codec", &report).expect("the records folder is writable");
        println!("recorded in {}", path.display());
    }
}

/// Appends one table: per engine and size the time of one event, its rate, and the speed-up.
fn table(report: &mut String, direction: Direction, kind: Kind) {
    let engines = engine::all();
    let names: Vec<_> = engines.iter().map(|engine| engine.name()).collect();
    let mut line = |text: &str| writeln!(report, "{text}").expect("a String takes all text");
    line(&format!(
        "\n## {} {}: ns per event, MB/s, times as fast as {}\n",
        direction.name(),
        kind.name(),
        names[1]
    ));
    line(&format!(
        "| size | {} | validate only | {}at least | aim |",
        names.join(" | "),
        if direction == Direction::Encode {
            "validated before | "
        } else {
            ""
        }
    ));
    let columns = names.len() + 4 + usize::from(direction == Direction::Encode);
    line(&format!("|{}", "---|".repeat(columns)));
    for size in SIZES {
        let case = Case::generate(kind, size, CASE_BYTES, SEED);
        let mut engines = engine::all();
        for engine in &mut engines {
            check(&mut **engine, &case);
        }
        let cells = cells(direction, &case, &mut engines);
        let sdk = cells[1];
        let mut row = format!("| {} |", size.name);
        for cell in &cells[..engines.len()] {
            write!(row, " {} |", cell.described(sdk)).expect("a String takes all text");
        }
        let besides = [Floor::default(), Floor::of_validated(kind, size)];
        for (cell, floor) in cells[engines.len()..].iter().zip(besides) {
            let of_ours = cells[0].ns / cell.ns;
            let remark = floor.remark(sdk.ns / cell.ns);
            let text = match cell.is_of_kind {
                true => format!(
                    " {}, ours {of_ours:.2} of it{remark} |",
                    cell.described(sdk)
                ),
                false => " – |".to_owned(),
            };
            row.push_str(&text);
        }
        let floor = Floor::of(direction, kind, size);
        line(&format!("{row} {}", floor.verdicts(sdk.ns / cells[0].ns)));
    }
}

/// The engines in their order; then the pass that only validates, and for encode the pass that need not.
fn cells(direction: Direction, case: &Case, engines: &mut [Box<dyn Engine>]) -> Vec<Cell> {
    let texts: Vec<&str> = case
        .texts()
        .map(|text| str::from_utf8(text).expect("JSON is UTF-8"))
        .collect();
    let bodies: Vec<&str> = match case.kind {
        Kind::Compact | Kind::Pretty | Kind::Escapes => case
            .samples
            .iter()
            .map(|sample| str::from_utf8(&sample.body).expect("JSON is UTF-8"))
            .collect(),
        Kind::Xml | Kind::Base64 => Vec::new(),
    };
    let headers = case.headers();
    let messages: Vec<_> = case.messages(&headers).collect();
    let decoder = Decoder::default();
    let mut out = Vec::new();
    match direction {
        Direction::Decode => {
            let mut runs: Vec<Box<dyn FnMut(usize) + '_>> = Vec::new();
            for engine in engines {
                let texts = &texts;
                runs.push(Box::new(move |at| {
                    engine.decode(texts[at].as_bytes(), &mut |_, body| {
                        black_box(body);
                    });
                }));
            }
            runs.push(validate_only(&texts));
            slices(case, &mut runs)
        }
        Direction::Encode => {
            let events: Vec<Event<'_>> = texts
                .iter()
                .map(|text| decoder.decode_structured(text.as_bytes()).expect("valid"))
                .collect();
            let mut runs: Vec<Box<dyn FnMut(usize) + '_>> = Vec::new();
            for engine in engines {
                let messages = &messages;
                runs.push(Box::new(move |at| {
                    engine.encode(&messages[at], &mut |text| {
                        black_box(text);
                    });
                }));
            }
            runs.push(validate_only(&bodies));
            runs.push(Box::new(|at| {
                out.clear();
                encode_structured(&events[at], &mut out);
                black_box(&out);
            }));
            slices(case, &mut runs)
        }
    }
}

/// The least that any engine does which refuses what is not JSON: it says so, and nothing else.
fn validate_only<'a>(texts: &'a [&'a str]) -> Box<dyn FnMut(usize) + 'a> {
    Box::new(|at| {
        if let Some(text) = texts.get(at) {
            black_box(JsonText::new(*text).is_ok());
        }
    })
}
