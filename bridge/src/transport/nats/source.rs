//! The source over a JetStream consumer: connects, and reads with an order or without.

mod backoff;
mod binding;
mod consumer;
mod durable;
mod offset_lost;
mod ordered;
mod pending_acks;
mod pulls;
mod reader;
mod server_status;
mod session;
mod settled;
mod unordered;

use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::api::ApiError;
use super::connection::Cluster;
use super::link::Link;
use super::settings::StreamOrigin;
use crate::config::OnOffsetLost;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::transport::{Intake, Source, SourceError, SourceStatus, Stop};
use backoff::Backoff;
use binding::Binding;
use consumer::{check_version, version};
use durable::Durable;
use offset_lost::OffsetLost;
use ordered::OrderedReader;
use reader::{Common, run};
use unordered::UnorderedReader;

/// Messages of the client that have nothing to do with the window: answers that end requests.
const SPARE: usize = 256;
/// How often it is looked after what nothing tells of, and how often while the client is busy.
const LOOK: Duration = Duration::from_millis(250);
const BUSY: Duration = Duration::from_millis(5);
/// A connection that lasted so long did not break because of a message.
const SOUND: Duration = Duration::from_secs(60);

const ACK: Bytes = Bytes::from_static(b"+ACK");

/// Reads one stream through a durable consumer.
#[derive(Debug)]
pub(super) struct JetStreamSource {
    pub(super) cluster: Cluster,
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
            // Never more is asked for than fits into the window, twice while requests change over.
            let capacity = self.window.events.saturating_mul(2).saturating_add(SPARE);
            let options = self.cluster.options().subscription_capacity(capacity);
            let link = tokio::select! {
                _ = stop.requested() => return Ok(()),
                link = self.cluster.connect(options) => link,
            };
            let version = version(&link.client.server_info().version);
            check_version(version, &self.origin, self.keeps_order)?;
            let common = self.common(link, intake);
            match self.keeps_order {
                true => run(OrderedReader::new(common, &self.share), stop).await,
                false => run(UnorderedReader::new(common, self.share), stop).await,
            }
        }
        .boxed_local()
    }
}

impl JetStreamSource {
    fn common(&self, link: Link, intake: Intake) -> Common {
        let durable = Durable::new(&link.client, &self.origin);
        // Without an order others may hold what is missing: nothing is sure, and nothing is held. What
        // is delivered again so rarely breaks a connection as rarely.
        let (on_offset_lost, sound) = match self.keeps_order {
            true => (self.origin.on_offset_lost, SOUND),
            false => (OnOffsetLost::Earliest, SOUND.max(3 * self.origin.ack_wait)),
        };
        Common {
            link,
            binding: Binding::new(durable, self.origin.clone(), self.keeps_order, self.window),
            backoff: Backoff::new(sound),
            offset_lost: OffsetLost::new(on_offset_lost, self.status.clone()),
            status: self.status.clone(),
            intake,
        }
    }
}

/// Why a session ended.
enum End {
    Because(String),
    /// Another process reads.
    StandBy,
    /// An operator must help; it is looked at again now and then.
    Held,
    /// Only a restart can help.
    Fatal(SourceError),
}

impl From<String> for End {
    fn from(cause: String) -> Self {
        Self::Because(cause)
    }
}

impl From<ApiError> for End {
    fn from(error: ApiError) -> Self {
        Self::Because(error.to_string())
    }
}
