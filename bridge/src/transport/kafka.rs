//! Kafka: connections, a source over a consumer group, and a sink.
//!
//! What librdkafka does in its own way (callbacks inside polling, a full queue, a producer that
//! failed for good) is dealt with here and seen nowhere else. Built with `panic = "unwind"`: see
//! `kafka/record.rs`.

mod check;
mod client;
mod connection;
mod entry;
mod offsets;
mod property;
mod record;
mod settings;
mod sink;
mod source;
mod stuck_consumer;
mod token;
mod view;
mod watchdog;

#[cfg(test)]
mod tests;

pub(crate) use client::{closed, library};
pub use entry::TRANSPORT;
