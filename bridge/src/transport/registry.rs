//! The list of transports.

use std::time::Duration;

use super::contract::Transport;
use super::{file, http, kafka, nats};

pub const TRANSPORTS: &[Transport] = &[
    kafka::TRANSPORT,
    http::TRANSPORT,
    nats::TRANSPORT,
    file::TRANSPORT,
];

/// Tables whose keys are names.
pub fn connection_names(transports: &[Transport]) -> impl Iterator<Item = &'static str> {
    let tables = transports.iter().flat_map(|transport| transport.tables);
    tables.map(|(kind, _)| *kind).chain(["credentials"])
}

/// Whether what was closed beside the routes is closed by then.
pub fn are_closed(limit: Duration) -> bool {
    kafka::are_closed(limit)
}

/// Libraries outside Rust, each with its version and features.
pub fn libraries() -> impl Iterator<Item = String> {
    [kafka::library()].into_iter()
}
