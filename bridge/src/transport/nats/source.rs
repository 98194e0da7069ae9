//! The source over a JetStream consumer: connects, finds or makes the consumer, and reads.

mod api;
mod consumer;
mod counts;
mod epoch;
mod ledger;
mod line_up;
mod owed;
mod pulls;
mod raw;
mod reader;

pub(super) use raw::RawMessage;
use std::rc::Rc;
use std::time::Duration;

use async_nats::jetstream::consumer::{Config, IntoConsumerConfig};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::sleep;

use super::connection::Cluster;
use super::link::{self, Link};
use super::settings::StreamOrigin;
use crate::delivery::Window;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::transport::throttle::Throttle;
use crate::transport::{Intake, Source, SourceError, SourceStatus, Stop};
use api::{Api, Trouble};
use consumer::{Version, check, check_version, wanted};
use ledger::Ledger;
use owed::Owed;
use reader::Reader;

/// Pause before the consumer is looked for again.
const AGAIN: Duration = Duration::from_secs(1);
/// Messages of the client that have nothing to do with the window: statuses of requests.
const SPARE: usize = 256;

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
            let prepared = tokio::select! {
                _ = stop.requested() => return Ok(()),
                prepared = self.prepare() => prepared?,
            };
            self.reader(prepared, intake).run(stop).await
        }
        .boxed_local()
    }
}

impl JetStreamSource {
    /// Connects and finds or makes the consumer, however long that takes.
    async fn prepare(&self) -> Result<(Link, Api, Config), SourceError> {
        // Never more is asked for than fits into the window, twice while requests change over.
        let capacity = self.window.events.saturating_mul(2).saturating_add(SPARE);
        let options = self.cluster.options().subscription_capacity(capacity);
        let link = link::connect(&self.cluster, options).await;
        let throttle = Throttle::default();
        loop {
            match self.bind(&link).await? {
                Ok((api, wanted)) => return Ok((link, api, wanted)),
                Err(cause) => {
                    if let Some(held_back) = throttle.lets_through(&cause) {
                        let stream = &self.origin.stream;
                        tracing::warn!(stream, cause, held_back, "the consumer cannot be had yet");
                    }
                }
            }
            sleep(AGAIN).await;
        }
    }

    /// One attempt; the inner error passes.
    async fn bind(&self, link: &Link) -> Result<Result<(Api, Config), String>, SourceError> {
        let version = Version::of(&link.client.server_info().version);
        check_version(version, &self.origin, self.keeps_order)?;
        let api = Api::new(&link.client, &self.origin);
        let config = wanted(&self.origin, self.keeps_order, self.window);
        let info = match api.info().await {
            Ok(info) => info,
            Err(Trouble::NoConsumer) => {
                // Read back by the next attempt, whoever made it.
                return Ok(match api.create(config).await {
                    Ok(()) => self.read_back(api).await?,
                    Err(Trouble::Passing(cause)) => Err(cause),
                    Err(Trouble::NoStream | Trouble::NoConsumer) => Err(NO_STREAM.to_owned()),
                });
            }
            Err(Trouble::NoStream) => return Ok(Err(NO_STREAM.to_owned())),
            Err(Trouble::Passing(cause)) => return Ok(Err(cause)),
        };
        self.compared(&info.config).map(|wanted| Ok((api, wanted)))
    }

    async fn read_back(&self, api: Api) -> Result<Result<(Api, Config), String>, SourceError> {
        match api.info().await {
            Ok(info) => self.compared(&info.config).map(|wanted| Ok((api, wanted))),
            Err(trouble) => Ok(Err(format!("{trouble:?}"))),
        }
    }

    fn compared(&self, found: &Config) -> Result<Config, SourceError> {
        let wanted = wanted(&self.origin, self.keeps_order, self.window).into_consumer_config();
        for difference in check(&wanted, found)? {
            let (stream, durable) = (&self.origin.stream, &self.origin.durable);
            let (setting, found, wanted) =
                (difference.setting, difference.found, difference.wanted);
            tracing::warn!(
                stream,
                durable,
                setting,
                found,
                wanted,
                "the consumer has another setting than the route"
            );
        }
        Ok(wanted)
    }

    fn reader(self: Box<Self>, (link, api, wanted): (Link, Api, Config), intake: Intake) -> Reader {
        let owed = Owed::new(link.client.clone(), self.origin.ack_wait);
        Reader {
            stream: self.origin.stream.as_str().into(),
            durable: self.origin.durable.clone(),
            window: Window::partition(self.window, &self.share),
            // Acknowledgements can be lost for as many as were under way when a connection broke.
            ledger: Ledger::new(self.window.events.saturating_mul(4)),
            progress: reader::Progress::default(),
            keeps_order: self.keeps_order,
            capacity: self.window,
            share: self.share,
            status: self.status,
            link,
            api,
            wanted,
            intake,
            owed,
        }
    }
}

const NO_STREAM: &str = "the stream does not exist yet";
