//! The list of transports.

use super::contract::Transport;
/// Until what is closed beside the routes is closed, and the one library outside Rust.
pub(crate) use super::kafka::{closed, library};
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
