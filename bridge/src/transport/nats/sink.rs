//! The sink: events to messages of one subject, acknowledged by the stream that keeps them, or
//! handed over to the server where the operator wrote that this is enough.
//!
//! One connection for each sink. Events are published in the order of the calls to `send`; at most
//! [`MOST_PENDING`] of them, and [`MOST_PENDING_BYTES`] bytes, wait for an ack. It keeps no
//! event beyond its exchange: what a lost connection leaves open is not delivered.

mod classify;
mod header_encoding;
mod pending_publishes;
mod publisher;
mod settings;
mod stream_check;

use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::task::{JoinHandle, spawn_local};

use super::connection::Cluster;
use crate::outcome::Outcome;
use crate::transport::contract::SinkOpening;
use crate::transport::{Batch, Outgoing, Sink};
use publisher::Publisher;

pub use header_encoding::{HeaderEncoding, restore_dead_letter};
pub(super) use settings::ENTRY;
pub use settings::{MemoryStorage, SinkSettings};

/// Most events that wait for an ack; above it a stream itself turns events away.
const MOST_PENDING: usize = 4_096;
/// Most bytes of them; a single event is always let out. More costs memory, and no longer makes the
/// server faster.
const MOST_PENDING_BYTES: usize = 8 << 20;

/// What the acknowledgement of a sink means.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Promise {
    /// The stream of this name has stored the event.
    Stored(String),
    /// The server has the event, and forwards it to those who listen now.
    HandedOver,
}

/// Writes to one subject.
struct NatsSink {
    publisher: Rc<Publisher>,
    task: JoinHandle<()>,
}

impl NatsSink {
    /// A sink that connects by itself; until then events wait, each for as long as its answer may
    /// take.
    fn open(
        cluster: &Cluster,
        settings: &SinkSettings,
        promise: Promise,
        opening: &SinkOpening,
    ) -> Self {
        let publisher = Rc::new(Publisher::new(settings, promise));
        let task = Rc::clone(&publisher).run(cluster.clone(), opening.clone());
        Self {
            task: spawn_local(task),
            publisher,
        }
    }
}

impl Sink for NatsSink {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let exchanges: Vec<_> = batch
            .into_iter()
            .map(|event| self.publisher.send(event))
            .collect();
        async move {
            let mut worst = Outcome::Delivered;
            for outcome in exchanges {
                let outcome = outcome.await;
                if matches!(worst, Outcome::Delivered | Outcome::Duplicate) {
                    worst = outcome;
                }
            }
            worst
        }
        .boxed_local()
    }

    fn is_too_large(&self, event: &Outgoing) -> bool {
        self.publisher.is_too_large(event)
    }
}

impl Drop for NatsSink {
    fn drop(&mut self) {
        self.task.abort();
    }
}
