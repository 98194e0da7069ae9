//! NATS: connections, and a source over a JetStream consumer or a core subject.
//!
//! Everything that the client does in its own way (a connection that ends on a header it cannot
//! read, messages dropped for a slow reader, a stream of messages that ends on every hiccup) ends
//! here and is never seen further inward.

mod api;
mod connection;
mod core;
mod entry;
mod link;
mod message;
mod settings;
mod sink;
mod source;
mod stored;
mod subject;
mod view;

pub use connection::Cluster;
pub use entry::TRANSPORT;
pub use settings::Delivery;
pub use sink::{MemoryStorage, SinkSettings, header_lines, restore_dead_letter};
