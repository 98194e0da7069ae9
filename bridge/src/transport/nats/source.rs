//! The source over a JetStream consumer.

mod consumer;
mod durable;
mod offset_lost;
mod ordered;
mod pending_acks;
mod reader;
mod session;
mod settled;
mod unordered;
mod unreadable;

use std::fmt::Display;
use std::rc::Rc;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::Instant;

use super::connection::NatsCluster;
use super::settings::StreamOrigin;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::transport::{Intake, Source, SourceError, SourceStatus, Stop};
use consumer::check_version;
use ordered::OrderedReader;
use reader::{Common, run};
use unordered::UnorderedReader;

/// Status messages, which have no place in the window.
const SPARE: usize = 256;

const ACK: Bytes = Bytes::from_static(b"+ACK");

#[derive(Debug)]
pub(super) struct JetStreamSource {
    pub(super) cluster: NatsCluster,
    pub(super) origin: StreamOrigin,
    pub(super) keeps_order: bool,
    pub(super) window: Capacity,
    pub(super) share: Rc<Share>,
    pub(super) status: SourceStatus,
}

impl Source for JetStreamSource {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        async move {
            // Never more is requested than fits into the window.
            let capacity = self.window.events.saturating_add(SPARE);
            let options = self.cluster.options().subscription_capacity(capacity);
            self.status.watch_connection(|| false);
            let link = tokio::select! {
                _ = stop.requested() => return Ok(()),
                link = self.cluster.connect(options) => link,
            };
            let (client, keeps_order) = (link.client.clone(), self.keeps_order);
            let watched = link.clone();
            self.status.watch_connection(move || watched.is_up());
            let is_at_least = |major, minor| client.is_server_compatible(major, minor, 0);
            let version = client.server_info().version;
            check_version(&version, is_at_least, &self.origin, keeps_order)?;
            let common = Common::new(*self, link, intake).await;
            match keeps_order {
                true => run(OrderedReader::new(common), stop).await,
                false => {
                    let checked_at = Instant::now();
                    run(UnorderedReader { common, checked_at }, stop).await
                }
            }
        }
        .boxed_local()
    }
}

#[derive(Debug)]
enum End {
    /// Another one may go better.
    Failed(String),
    ConnectionLost,
    /// Another process reads.
    StandBy,
    /// Messages left the stream undelivered, and an operator decides how to go on.
    Held,
    /// The consumer was made anew, or somebody has reset it.
    StartOver,
    /// Only a restart can help.
    Fatal(SourceError),
}

impl<T: Display> From<T> for End {
    fn from(cause: T) -> Self {
        Self::Failed(cause.to_string())
    }
}
