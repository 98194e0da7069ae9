//! The sink: events to messages of one subject, acknowledged by the stream that keeps them, or by
//! the server where the operator wrote that this is enough.
//!
//! One connection for each sink. Events are published in the order in which their exchanges begin,
//! and none is kept beyond its exchange: what a lost connection leaves open is not delivered.

mod classify;
mod header_encoding;
mod publish_acks;
mod publisher;
mod settings;
mod stream;

use std::rc::Rc;

use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::task::unconstrained;
use tokio_util::task::AbortOnDropHandle;

use crate::outcome::Outcome;
use crate::transport::{Batch, Outgoing, Sink};
use publisher::Publisher;

pub use header_encoding::{header_lines, restore_dead_letter};
pub(super) use settings::NatsSinkSettings;
pub(super) use stream::{forgets, is_missing, obstacle};

struct NatsSink {
    publisher: Rc<Publisher>,
    _task: AbortOnDropHandle<()>,
}

impl Sink for NatsSink {
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome> {
        let publisher = Rc::clone(&self.publisher);
        // Tokio's task budget would let 42 events of a turn out, and have the others polled in vain.
        unconstrained(async move {
            let [event] = &*batch else {
                unreachable!("NATS has no batched mode: there is one event")
            };
            publisher.send(event).await
        })
        .boxed_local()
    }

    fn is_too_large(&self, event: &Outgoing) -> bool {
        self.publisher.is_too_large(event)
    }

    fn is_connected(&self) -> Option<bool> {
        Some(self.publisher.connected().is_some())
    }
}
