//! What a transport is: a way to open a source, a sink and a [view]; the [registry] lists them.
//!
//! A **source** waits for room in a [`Window`](crate::delivery::Window) before it reads on, hands every
//! message over exactly as received, and commits only what is settled. On [`Stop`] it takes nothing more,
//! drains its windows until the deadline, abandons the rest, commits and leaves. It never decodes or retries.
//!
//! A **sink** takes one batch and returns one [`Outcome`] within a bounded time. It never retries.

pub mod address;
pub mod contract;
pub mod file;
pub mod http;
pub mod kafka;
pub mod nats;
mod outgoing;
pub mod registry;
mod state_file;
mod status;
pub mod view;

use std::rc::Rc;
use std::time::Duration;

use futures_util::future::LocalBoxFuture;
use tokio::sync::mpsc::error::SendError;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::delivery::Delivery;
use crate::outcome::Outcome;

pub use outgoing::{MessageId, Outgoing};
pub use status::SourceStatus;

pub type Batch = Vec<Rc<Outgoing>>;

pub trait Sink {
    /// Starts one exchange. Batches go out in the order of these calls where there is one connection.
    fn send(&self, batch: Batch) -> LocalBoxFuture<'static, Outcome>;

    /// Whether an event is known to be larger than the destination takes.
    fn is_too_large(&self, _: &Outgoing) -> bool {
        false
    }

    /// When the next exchange may start, where a rate is to be kept and that is not now.
    fn opens_at(&self) -> Option<Instant> {
        None
    }

    /// This process reads so much of the source, from 0 to 1: it may use as much of a rate.
    fn set_part(&self, _: f64) {}

    /// Nothing where there is no lasting connection, or it is not known.
    fn is_connected(&self) -> Option<bool> {
        None
    }
}

/// The request to stop, and the deadline of the drain.
#[derive(Clone, Debug)]
pub struct Stop(watch::Receiver<Option<Instant>>);

impl Stop {
    pub fn new() -> (watch::Sender<Option<Instant>>, Self) {
        let (sender, receiver) = watch::channel(None);
        (sender, Self(receiver))
    }

    /// Once a stop is requested.
    pub fn deadline(&self) -> Option<Instant> {
        *self.0.borrow()
    }

    pub fn is_requested(&self) -> bool {
        self.0.borrow().is_some()
    }

    /// A dropped sender is a request to leave at once.
    pub async fn requested(&mut self) -> Instant {
        match self.0.wait_for(Option::is_some).await {
            Ok(deadline) => deadline.unwrap_or_else(Instant::now),
            Err(_) => Instant::now(),
        }
    }
}

/// Where a source puts what it took.
#[derive(Clone, Debug)]
pub struct Intake(mpsc::Sender<Vec<Delivery>>);

impl Intake {
    pub fn new() -> (Self, mpsc::Receiver<Vec<Delivery>>) {
        let (sender, receiver) = mpsc::channel(64);
        (Self(sender), receiver)
    }

    /// Room for one push, for whoever must not lose a delivery on the way. Fails when the route has ended.
    pub async fn room(&self) -> Result<mpsc::Permit<'_, Vec<Delivery>>, SendError<()>> {
        self.0.reserve().await
    }

    pub async fn push(&self, deliveries: Vec<Delivery>) -> Result<(), SendError<Vec<Delivery>>> {
        self.0.send(deliveries).await
    }
}

/// Takes messages in until it is asked to stop.
pub trait Source {
    /// Ends early only where an operator must act.
    fn run(
        self: Box<Self>,
        intake: Intake,
        stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>>;
}

pub type SourceError = contract::OpenError;

/// The time-out of an exchange, where the settings of the sink have none.
pub const EXCHANGE_TIMEOUT: Duration = Duration::from_secs(30);
