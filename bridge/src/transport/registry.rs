//! The list of transports.

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
    let has_table = |transport: &&Transport| transport.connection.is_some();
    let connections = transports.iter().filter(has_table);
    let connections = connections.map(|transport| transport.name);
    connections.chain(["credentials"])
}
