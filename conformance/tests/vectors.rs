//! Every vector, against the codec.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

use std::path::Path;

use cloudevents_nl_conformance::codec::Ours;
use cloudevents_nl_conformance::vectors::{self, NotMet};

#[test]
fn the_codec_meets_every_vector_that_is_not_listed() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let not_met = NotMet::read(&here.join("vectors-not-met.json")).unwrap();
    let report = vectors::run(&Ours, &here.join("vectors"), &not_met).unwrap();
    assert_eq!(report.failed(), 0, "{report}");
    assert!(report.passed() > 300, "{report}");
}

#[test]
fn the_rules_meet_every_vector() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let report = vectors::run_rules(&here.join("vectors"), &NotMet::default()).unwrap();
    assert_eq!(report.failed(), 0, "{report}");
    assert!(report.passed() > 400, "{report}");
}
