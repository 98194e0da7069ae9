//! The source over a JetStream consumer.

mod consumer;
mod drain;
mod durable;
mod offset_lost;
mod ordered;
mod pending_acks;
mod reader;
mod session;
mod settled;
mod unreadable;

use std::fmt::Display;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::connection::NatsCluster;
use super::settings::StreamOrigin;
use crate::transport::contract::SourceOpening;
use crate::transport::{Intake, Source, SourceError, Stop};
pub(super) use consumer::{check_fit, check_server};
use reader::Reader;

/// Status messages, which have no place in the window.
const SPARE: usize = 256;

const ACK: Bytes = Bytes::from_static(b"+ACK");

#[derive(Debug)]
pub(super) struct JetStreamSource {
    pub(super) cluster: NatsCluster,
    pub(super) origin: StreamOrigin,
    pub(super) opening: SourceOpening,
}

impl Source for JetStreamSource {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        async move {
            // Never more is requested than fits into the window.
            let status = &self.opening.status;
            status.watch_connection(|| Some(false));
            if self.opening.keeps_order {
                status.set_part(0.0);
            }
            let capacity = self.opening.window.events.saturating_add(SPARE);
            let options = self.cluster.options().subscription_capacity(capacity);
            let link = tokio::select! {
                _ = stop.requested() => return Ok(()),
                link = self.cluster.connect(options) => link,
            };
            let watched = link.clone();
            status.watch_connection(move || Some(watched.is_up()));
            check_server(&link.client, &self.origin, self.opening.keeps_order)?;
            Reader::new(*self, link, intake).await.run(stop).await
        }
        .boxed_local()
    }
}

/// Why a session ends.
#[derive(Debug)]
enum End {
    /// Another one may go better.
    Failed(String),
    ConnectionLost,
    /// Another process reads.
    StandBy,
    /// What this sequence and the next ones had left the stream undelivered, and an operator decides
    /// how to go on.
    Held(u64),
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
