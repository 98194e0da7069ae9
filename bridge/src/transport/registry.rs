//! The list of transports.

use super::contract::Transport;
/// Until what is closed beside the routes is closed.
pub(crate) use super::kafka::closed;
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

/// Libraries outside Rust, each with its version and features.
pub fn libraries() -> impl Iterator<Item = String> {
    [kafka::library()].into_iter()
}
