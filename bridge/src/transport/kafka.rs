//! Kafka: connections, a source over a consumer group, and a sink.
//!
//! The source and the sink join librdkafka to the seams of [`transport`](super). Everything that
//! librdkafka does in its own way (callbacks inside polling, panics on header names, a queue that
//! is full, a producer that is dead for good) ends here and is never seen further inward.
//!
//! Built with `panic = "unwind"`: see `kafka/record.rs`.

mod client;
mod connection;
mod entry;
mod log;
mod offsets;
mod property;
mod record;
mod settings;
mod sink;
mod source;
mod stalled;
mod view;
mod watchdog;

#[cfg(test)]
mod tests;

pub use connection::Cluster;
pub use entry::TRANSPORT;
pub use settings::{SinkSettings, SourceSettings};
pub use sink::{KafkaSink, Pace};
pub use source::KafkaSource;
