//! The committed report on the official Rust SDK is what the trial gives today.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "../examples/sdk_report/codec.rs"]
mod codec;
#[path = "../examples/sdk_report/report.rs"]
mod report;

use std::path::Path;

#[test]
fn the_report_is_what_the_trial_gives() {
    let name = format!(
        "reports/cloudevents-sdk-{}.md",
        report::locked("cloudevents-sdk")
    );
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    let made = report::markdown();
    let differing = committed
        .lines()
        .zip(made.lines())
        .find(|(one, other)| one != other);
    assert!(
        committed == made,
        "{} is not what the trial gives; its first line says how to make it again. First difference: {differing:#?}",
        path.display()
    );
}
