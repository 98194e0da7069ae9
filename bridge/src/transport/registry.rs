//! The list of transports.

use super::contract::Transport;
use super::{file, http, kafka, nats};

pub const TRANSPORTS: &[Transport] = &[
    kafka::TRANSPORT,
    http::TRANSPORT,
    nats::TRANSPORT,
    file::TRANSPORT,
];

pub fn connection_names(transports: &[Transport]) -> impl Iterator<Item = &'static str> {
    let has_table = |transport: &&Transport| transport.connection.is_some();
    transports
        .iter()
        .filter(has_table)
        .map(|transport| transport.name)
}
