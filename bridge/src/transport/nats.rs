//! NATS: connections, and a source over a JetStream consumer or a core subject.
//!
//! What the client does in its own way (it ends a connection on a header that it cannot read, drops
//! messages for a slow reader) is dealt with here and seen nowhere else.

mod check;
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

pub use entry::TRANSPORT;
pub use sink::{header_lines, restore_dead_letter};
