//! The sink: events to messages of one subject, acknowledged by the stream that keeps them, or
//! handed over to the server where the operator wrote that this is enough.
//!
//! One connection for each sink. Events are published in the order of the calls to `send`; at most
//! [`MOST_UNANSWERED`] of them, and [`MOST_UNANSWERED_BYTES`] bytes, wait for an answer. It keeps no
//! event beyond its exchange: what a lost connection leaves open is not delivered.

mod entry;
mod exchange;
mod inbox;
mod judgement;
mod settings;
mod spelling;
mod stream;
mod waiting;

use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::task::{JoinHandle, spawn_local};

use super::connection::Cluster;
use crate::outcome::Outcome;
use crate::transport::contract::SinkOpening;
use crate::transport::{Outgoing, Parcel, Sink};
use exchange::Exchange;

pub(super) use entry::ENTRY;
pub use settings::{MemoryStorage, SinkSettings};
pub use spelling::{Spelling, restore_dead_letter};

/// Most events that wait for an answer; above it a stream itself turns events away.
const MOST_UNANSWERED: usize = 4_096;
/// Most bytes of them; a single event is always let out. More costs memory, and no longer makes the
/// server faster.
const MOST_UNANSWERED_BYTES: usize = 8 << 20;

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
    exchange: Rc<Exchange>,
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
        let exchange = Rc::new(Exchange::new(settings, promise));
        let task = Rc::clone(&exchange).run(cluster.clone(), opening.clone());
        Self {
            task: spawn_local(task),
            exchange,
        }
    }
}

impl Sink for NatsSink {
    fn send(&self, parcel: Parcel) -> LocalBoxFuture<'static, Outcome> {
        let exchanges: Vec<_> = parcel
            .into_iter()
            .map(|event| self.exchange.send(event))
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
        self.exchange.is_too_large(event)
    }
}

impl Drop for NatsSink {
    fn drop(&mut self) {
        self.task.abort();
    }
}
