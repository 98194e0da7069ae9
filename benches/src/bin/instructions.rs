//! Instructions per byte, counted by callgrind and held against `records/instructions.txt`.
//!
//! A count does not depend on the mood of the machine, so unlike a time it may decide: more than 3 %
//! above the record fails. `--record` writes the counts as they are now. Each case runs in a process of its own,
//! once over its events and three times; half of the difference is the cost of one pass.
//!
//! Where the codec has vector code, both that of AVX2 and the safe path are counted: valgrind hides AVX-512.
//! Without AVX2 the counts of a processor would be others (those of dependencies too), so there is nothing to
//! hold against the record.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::hint::black_box;
use std::path::Path;
use std::process::{Command, ExitCode};

use cloudevents_nl_benches::comparison::SEED;
use cloudevents_nl_benches::corpus::{Case, Kind, SIZES};
use cloudevents_nl_benches::engine::{Codec, Engine};
use cloudevents_nl_codec::Decoder;

/// Structured text in each case. Counts per byte do not need much of it.
const BYTES: usize = 256 << 10;

/// How much more than the record is too much.
const TOLERANCE: f64 = 0.03;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [case, passes] = arguments.as_slice() {
        run(case, passes.parse().expect("a number of passes"));
        return ExitCode::SUCCESS;
    }
    if !has_what_is_counted() {
        println!("instructions: not counted, because this processor has no AVX2");
        return ExitCode::SUCCESS;
    }
    let record = Path::new(env!("CARGO_MANIFEST_DIR")).join("records/instructions.txt");
    let counts: Vec<(String, f64)> = cases()
        .into_iter()
        .map(|case| (count(&case), case))
        .map(|(count, case)| (case, count))
        .collect();
    if arguments == ["--record"] {
        let mut text = String::new();
        for (case, count) in &counts {
            writeln!(text, "{case} {count:.2}").expect("a String takes all text");
        }
        std::fs::write(&record, text).expect("the records folder is writable");
        println!("recorded in {}", record.display());
        return ExitCode::SUCCESS;
    }
    let text = std::fs::read_to_string(&record).expect("a record");
    let recorded: BTreeMap<&str, f64> = text
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(case, count)| (case, count.parse().expect("a number")))
        .collect();
    let mut is_worse = false;
    for (case, count) in &counts {
        let Some(before) = recorded.get(case.as_str()) else {
            println!("{case}: {count:.2} instructions per byte, not recorded");
            is_worse = true;
            continue;
        };
        let change = count / before - 1.0;
        let verdict = if change > TOLERANCE { "  TOO MUCH" } else { "" };
        is_worse |= change > TOLERANCE;
        println!(
            "{case}: {count:.2} instructions per byte, {:+.1} %{verdict}",
            change * 100.0
        );
    }
    for case in recorded.keys() {
        if !counts.iter().any(|(counted, _)| counted == case) {
            println!("{case}: recorded, and no longer counted");
            is_worse = true;
        }
    }
    if is_worse {
        println!(
            "`cargo run --release -p cloudevents-nl-benches --bin instructions -- --record` accepts this"
        );
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn has_what_is_counted() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Every case as `DIRECTION/KIND/SIZE`, and the path behind it where there is more than one.
fn cases() -> Vec<String> {
    let mut cases = Vec::new();
    for direction in ["decode", "encode"] {
        for (kind, sizes) in [
            (Kind::Compact, &[0, 1, 3][..]),
            (Kind::Escapes, &[3][..]),
            (Kind::Xml, &[3][..]),
            (Kind::Base64, &[3][..]),
        ] {
            for size in sizes.iter().map(|at| SIZES[*at]) {
                let case = format!("{direction}/{}/{}", kind.name(), size.name);
                if direction == "decode" && matches!(kind, Kind::Xml | Kind::Base64) {
                    cases.extend(["AVX2", "safe"].map(|path| format!("{case}/{path}")));
                } else {
                    cases.push(case);
                }
            }
        }
    }
    cases
}

/// Instructions per byte of structured text.
fn count(case: &str) -> f64 {
    let [once, thrice] = [1, 3].map(|passes| instructions(case, passes));
    (thrice - once) as f64 / 2.0 / BYTES as f64
}

/// The instructions of a process that runs a case so often.
fn instructions(case: &str, passes: u32) -> u64 {
    let program = std::env::current_exe().expect("this program has a path");
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([case, &passes.to_string()])
        .output()
        .expect("valgrind is installed: apt-get install valgrind");
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{case} failed: {report}");
    report
        .lines()
        .find_map(|line| line.split_once("Collected :"))
        .and_then(|(_, count)| count.trim().parse().ok())
        .expect("callgrind says what it collected")
}

/// Runs a case; this is what is counted.
fn run(case: &str, passes: u32) {
    let mut words = case.split('/');
    let (Some(direction), Some(kind), Some(size)) = (words.next(), words.next(), words.next())
    else {
        panic!("{case} is no case")
    };
    let mut paths = Decoder::default().each_path();
    let decoder = match words.next() {
        Some(path) => paths.find(|(name, _)| *name == path),
        None => paths.next(),
    };
    let (_, decoder) = decoder.expect("this processor has the path");
    let kind = Kind::ALL.into_iter().find(|one| one.name() == kind);
    let size = SIZES.into_iter().find(|one| one.name == size);
    let case = Case::generate(kind.expect("a kind"), size.expect("a size"), BYTES, SEED);
    let mut engine = Codec::reading_by(decoder);
    let headers = case.headers();
    for _ in 0..passes {
        if direction == "decode" {
            for text in case.texts() {
                engine.decode(text, &mut |_, body| {
                    black_box(body);
                });
            }
        } else {
            for message in case.messages(&headers) {
                engine.encode(&message, &mut |text| {
                    black_box(text);
                });
            }
        }
    }
}
