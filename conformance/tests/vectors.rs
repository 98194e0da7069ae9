//! Every vector, against the codec.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "rules/lists.rs"]
mod lists;

use std::fmt::Write;
use std::path::Path;

use cloudevents_nl_conformance::vectors::{self, NotMet};

#[test]
fn the_codec_meets_every_vector_that_is_not_listed() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let not_met = NotMet::read(&here.join("vectors-not-met.json")).unwrap();
    let report = vectors::run(&here.join("vectors"), &not_met).unwrap();
    assert_eq!(report.failed(), 0, "{report}");
    assert!(report.passed() > 300, "{report}");
}

/// Cases whose rules are not written yet stand in a list that must match exactly.
#[test]
fn the_rules_meet_every_vector_that_is_not_listed() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let report = vectors::run_rules(&here.join("vectors"), &NotMet::default()).unwrap();
    let mut failed = Vec::new();
    let mut differences = String::new();
    for file in &report.files {
        for (case, found) in &file.failed {
            failed.push(format!("{}, {case}", file.file));
            for difference in found {
                writeln!(differences, "{}, {case}: {difference:?}", file.file).unwrap();
            }
        }
    }
    let listed: Vec<String> = lists::list("vectors-not-yet.json");
    println!("{differences}");
    lists::assert_list("vectors-not-yet.json", &listed, &failed);
    assert!(report.passed() + failed.len() > 400, "{report}");
}
