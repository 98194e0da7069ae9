//! The scenarios, in the order in which they are tried: a file for each thing that is tried out.
//!
//! A new scenario is a file here and its name in [`all`]; `tests/receiver/` plants the fault that it finds.

mod accepted_core;
mod accepted_handshake;
mod accepted_http;
mod accepted_json;
mod batch;
mod callback;
mod challenge;
mod copies;
mod data_read;
mod empty_batch;
mod handshake;
mod modes;
mod not_seen;
mod rate;
mod retired;
mod size;
mod statuses;
mod tokens;
mod unknown_extensions;
mod unknown_format;

use cloudevents_nl_conformance::Text;

use super::scenario::Scenario;

/// What one rule makes of others.
pub(super) use size::structured_of;
pub(super) use statuses::{REPEATED, RULE as REPEATS};

const FAMILIES: &[&[Scenario]] = &[
    handshake::SCENARIOS,
    accepted_handshake::SCENARIOS,
    modes::SCENARIOS,
    unknown_extensions::SCENARIOS,
    accepted_core::SCENARIOS,
    size::SCENARIOS,
    accepted_json::SCENARIOS,
    data_read::SCENARIOS,
    accepted_http::SCENARIOS,
    batch::SCENARIOS,
    empty_batch::SCENARIOS,
    copies::SCENARIOS,
    unknown_format::SCENARIOS,
    tokens::SCENARIOS,
    challenge::SCENARIOS,
    retired::SCENARIOS,
    callback::SCENARIOS,
    not_seen::SCENARIOS,
    // It may leave the receiver without room for others.
    rate::SCENARIOS,
    // Of what was shown before.
    statuses::SCENARIOS,
];

/// Rules that bind receivers, and that the checker judges by every exchange that is recorded.
pub(crate) const FROM_EXCHANGES: &[&str] = &["HOOK-RESP-1"];

/// All of them.
pub(crate) fn all() -> impl Iterator<Item = &'static Scenario> {
    FAMILIES.iter().copied().flatten()
}

const fn text(en: &'static str, nl: &'static str) -> Text {
    Text { en, nl }
}
