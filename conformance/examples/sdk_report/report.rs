//! The report: how the SDK was driven, what people found when they looked, and what the trial shows.

use std::path::Path;

use cloudevents_nl_conformance::Trial;
use cloudevents_nl_conformance::properties::Options;

use crate::codec::Sdk;

const OPTIONS: Options = Options {
    cases: 256,
    seed: 2026,
};

/// The whole report.
pub(crate) fn markdown() -> String {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    // Each panic would be told on standard error too, hundreds of times.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let trial = Trial::of(&Sdk, &vectors, OPTIONS);
    std::panic::set_hook(hook);
    let trial = trial.expect("the vectors of this crate are there");
    let head = include_str!("head.md")
        .replace("SDK_VERSION", locked("cloudevents-sdk"))
        .replace("OUR_VERSION", env!("CARGO_PKG_VERSION"))
        .replace("HTTP_VERSION", locked("http"))
        .replace("JSON_VERSION", locked("serde_json"))
        .replace("CASES", &OPTIONS.cases.to_string())
        .replace("SEED", &OPTIONS.seed.to_string());
    format!("{head}\n{}", trial.markdown())
}

/// The version of a package that this workspace builds with.
pub(crate) fn locked(package: &str) -> &'static str {
    let lock = include_str!("../../../Cargo.lock");
    let name = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = lock.split_once(&name).expect("the package is locked");
    rest.split_once('"').expect("a version ends").0
}
