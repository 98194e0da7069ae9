//! The source over a JetStream consumer: connects, and reads with an order or without.

mod backoff;
mod binding;
mod consumer;
mod durable;
mod offset_lost;
mod ordered;
mod pending_acks;
mod pulls;
mod server_status;
mod session;
mod settled;
mod unordered;

use std::future::pending;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::{Instant, timeout, timeout_at};

use super::api::ApiError;
use super::connection::Cluster;
use super::link::Link;
use super::settings::{OnOffsetLost, StreamOrigin};
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Delivery, Window};
use crate::transport::{Intake, RouteEnded, Source, SourceError, SourceStatus, Stop};
use backoff::Backoff;
use binding::Binding;
use consumer::{check_version, version};
use durable::Durable;
use offset_lost::OffsetLost;
use ordered::OrderedReader;
use pending_acks::PendingAcks;
use session::Session;
use unordered::{Held, UnorderedReader};

/// Messages of the client that have nothing to do with the window: answers that end requests.
const SPARE: usize = 256;
/// Most messages handed over in one go.
const MOST: usize = 128;
/// How often it is looked after what nothing tells of, and how often while the client is busy.
const LOOK: Duration = Duration::from_millis(250);
const BUSY: Duration = Duration::from_millis(5);
/// Longest wait for the server to take the last acknowledgements.
const GOODBYE: Duration = Duration::from_secs(5);
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
            match self.keeps_order {
                true => run(self.status.clone(), self.ordered(link, intake), stop).await,
                false => run(self.status.clone(), self.unordered(link, intake), stop).await,
            }
        }
        .boxed_local()
    }
}

impl JetStreamSource {
    fn ordered(self: Box<Self>, link: Link, intake: Intake) -> OrderedReader {
        let durable = Durable::new(&link.client, &self.origin);
        let status = self.status.clone();
        OrderedReader {
            link,
            acks: PendingAcks::new(durable.clone(), self.window, self.share, status.clone()),
            offset_lost: OffsetLost::new(self.origin.on_offset_lost, status.clone()),
            binding: Binding::new(durable, self.origin, true, self.window),
            backoff: Backoff::new(SOUND),
            status,
            intake,
            pin: None,
            is_alone: false,
        }
    }

    fn unordered(self: Box<Self>, link: Link, intake: Intake) -> UnorderedReader {
        let durable = Durable::new(&link.client, &self.origin);
        let window = Window::recorded(self.window, &self.share);
        self.status.open(&window);
        // What is delivered again so rarely breaks a connection as rarely.
        let sound = SOUND.max(3 * self.origin.ack_wait);
        UnorderedReader {
            link,
            // Others may hold what is missing: nothing is sure, and nothing is held.
            offset_lost: OffsetLost::new(OnOffsetLost::Earliest, self.status.clone()),
            binding: Binding::new(durable, self.origin, false, self.window),
            backoff: Backoff::new(sound),
            share: self.share,
            status: self.status,
            intake,
            window,
            held: Held::default(),
        }
    }
}

/// A way to read a consumer.
trait Reader {
    fn window(&self) -> Rc<Window>;

    /// Reads until only an operator can help. May be dropped.
    async fn read(&mut self, session: &mut Option<Session>) -> SourceError;

    /// Waits a moment for what was started, and does what is to be done meanwhile.
    async fn wait(&mut self, session: Option<&mut Session>);

    /// Tells the server what it is still to be told, and lets others read.
    async fn release(&mut self);
}

/// Reads until `stop`, or until only an operator can help; then lets what was started finish until the
/// deadline.
async fn run(
    status: SourceStatus,
    mut reader: impl Reader,
    mut stop: Stop,
) -> Result<(), SourceError> {
    let mut session = None;
    let (deadline, result) = {
        // The drain begins before reading is broken off: what is let go then is not missed.
        let stopped = async {
            let deadline = stop.requested().await;
            status.drain(deadline);
            deadline
        };
        tokio::select! {
            biased;
            deadline = stopped => (deadline, Ok(())),
            error = reader.read(&mut session) => (Instant::now(), Err(error)),
        }
    };
    status.drain(deadline);
    let window = reader.window();
    let finished = async {
        while timeout(Duration::ZERO, window.finished()).await.is_err() {
            reader.wait(session.as_mut()).await;
        }
    };
    if timeout_at(deadline, finished).await.is_err() {
        let left = window.len();
        tracing::warn!(
            left,
            "drain ended at its deadline, what is left will be repeated"
        );
    }
    window.abandon();
    if timeout(GOODBYE, reader.release()).await.is_err() {
        tracing::warn!("the last acknowledgements were not taken in time");
    }
    status.close(&window);
    status.set_joined(false);
    result
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

/// Messages on their way to the route.
type Pushing = LocalBoxFuture<'static, Result<(), RouteEnded>>;

fn push(intake: &Intake, taken: Vec<Delivery>) -> Option<Pushing> {
    let intake = intake.clone();
    (!taken.is_empty()).then(|| async move { intake.push(taken).await }.boxed_local())
}

/// Waits until they are there; for ever where nothing is on its way, or the route is gone, and with it
/// everybody who could ask us to stop. May be dropped.
async fn pushed(pushing: &mut Option<Pushing>) {
    if let Some(push) = pushing
        && push.await.is_ok()
    {
        *pushing = None;
    } else {
        pending().await
    }
}

/// Waits until all that is on its way is there.
async fn finish(pushing: &mut Option<Pushing>) {
    while pushing.is_some() {
        pushed(pushing).await;
    }
}
