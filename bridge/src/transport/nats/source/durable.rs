//! The durable consumer of a route: created where there is none, changed to what the route needs,
//! and the requests made of it.

use std::sync::Arc;
use std::time::Duration;

use async_nats::Subject;
use async_nats::datetime::DateTime;
use async_nats::jetstream::consumer::{Config, Info};
use async_nats::jetstream::context::{ConsumerInfoError, ConsumerInfoErrorKind, Context};
use async_nats::jetstream::stream::ConsumerErrorKind;
use async_nats::jetstream::{AckKind, ErrorCode, stream};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use serde_json::json;
use tokio::task::unconstrained;
use tokio::time::Instant;

use super::super::connection::NatsCluster;
use super::super::link::Link;
use super::super::message::position_prefix;
use super::super::settings::StreamOrigin;
use super::super::stored::{StoredMessage, first_from};
use super::consumer::{GROUP, check_server, differences, updated, wanted};
use super::{End, JetStreamSource};
use crate::config::Start;
use crate::logging::Throttle;
use crate::transport::SourceError;
use crate::transport::contract::SourceOpening;

/// An operator makes a consumer anew, or its server finds it again, within this time.
const MISSING_MAX: Duration = Duration::from_secs(30);
/// A process that waits longer for an answer could lose its pin over it.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);

pub(super) struct Durable {
    pub(super) link: Link,
    context: Context,
    pub(super) api: stream::Stream<()>,
    pub(super) position_prefix: Arc<str>,
    cluster: NatsCluster,
    pub(super) origin: StreamOrigin,
    pub(super) opening: SourceOpening,
    /// Another one of the same name has delivered nothing.
    created: Option<DateTime>,
    missing_since: Option<Instant>,
    /// The connection over which the consumer was found, and was the one of before.
    pub(super) found_on: Option<u64>,
    throttle: Throttle,
    /// As the session found or made it.
    pub(super) config: Config,
}

/// The connection over which the consumer was asked for, and what came of it.
pub(super) type Answer = (Option<u64>, Result<Info, ConsumerInfoError>);

impl Durable {
    pub(super) async fn new(source: JetStreamSource) -> Result<Self, SourceError> {
        let link = source.cluster.connect_source(&source.opening).await;
        check_server(&link.client, &source.origin, source.opening.keeps_order)?;
        let (context, api) = api(&link, &source.origin).await;
        Ok(Self {
            link,
            context,
            api,
            position_prefix: position_prefix(&source.origin.stream),
            cluster: source.cluster,
            origin: source.origin,
            opening: source.opening,
            created: None,
            missing_since: None,
            found_on: None,
            throttle: Throttle::default(),
            config: Config::default(),
        })
    }

    /// Another client goes on where the last one has ended.
    pub(super) async fn connect(&mut self) {
        let link = self.cluster.connect_source(&self.opening).await;
        (self.context, self.api) = api(&link, &self.origin).await;
        (self.link, self.found_on) = (link, None);
    }

    /// May run beside a session.
    pub(super) fn ask(&self) -> LocalBoxFuture<'static, Answer> {
        let (link, api) = (self.link.clone(), self.api.clone());
        let name = self.origin.durable.clone();
        async move { (link.connection(), api.consumer_info(name).await) }.boxed_local()
    }

    pub(super) async fn find(&mut self) -> Result<Info, End> {
        let (connection, answer) = self.ask().await;
        let failed = answer.as_ref().err().map(ConsumerInfoError::kind);
        match failed.filter(|_| self.created.is_none()) {
            Some(ConsumerInfoErrorKind::NotFound) => {
                let info = self.create().await?;
                self.found((connection, Ok(info)))
            }
            Some(ConsumerInfoErrorKind::StreamNotFound) => {
                Err("the stream does not exist yet".into())
            }
            _ => self.found((connection, answer)),
        }
    }

    pub(super) fn found(&mut self, (connection, answer): Answer) -> Result<Info, End> {
        let gone = match answer {
            Ok(info) => {
                self.missing_since = None;
                let before = self.created.replace(info.created);
                let is_another = before.is_some_and(|before| before != info.created);
                self.found_on = connection.filter(|_| !is_another);
                return match is_another {
                    true => Err(End::StartOver),
                    false => Ok(info),
                };
            }
            Err(error) => match error.kind() {
                ConsumerInfoErrorKind::NotFound => format!("consumer {}", self.origin.durable),
                ConsumerInfoErrorKind::StreamNotFound => format!("stream {}", self.origin.stream),
                _ => {
                    // An outage says nothing of it.
                    self.missing_since = None;
                    return Err(error.into());
                }
            },
        };
        let since = self.missing_since.get_or_insert_with(Instant::now);
        if since.elapsed() < MISSING_MAX {
            let cause =
                format!("{gone} is not found: reading ends unless it is there in {MISSING_MAX:?}");
            return Err(End::Failed(cause));
        }
        Err(End::Fatal(SourceError {
            reason: "nats-consumer-gone",
            detail: format!(
                "{gone} was deleted, and with it the place where reading stood; restart to begin at `start`"
            ),
        }))
    }

    async fn create(&self) -> Result<Info, End> {
        // Not every user may request it.
        let next = match self.origin.start {
            Start::Latest => self.api.get_info().await?.state.last_sequence + 1,
            Start::Earliest | Start::Time(_) => 1,
        };
        let config = wanted(&self.origin, &self.opening, next);
        self.create_or_update(config).await
    }

    pub(super) async fn update(&mut self, info: &Info) -> Result<(), End> {
        let wanted = wanted(&self.origin, &self.opening, 1);
        let Some(config) = updated(&wanted, &info.config).map_err(End::Fatal)? else {
            self.config.clone_from(&info.config);
            return Ok(());
        };
        for _ in 0..2 {
            self.create_or_update(config.clone()).await?;
            // A server may answer with what was before: 2.15.2 does after its restart.
            self.config = self.api.consumer_info(&self.origin.durable).await?.config;
            // Once more, as somebody may have changed it in between.
            if differences(&self.config, &config).is_empty() {
                break;
            }
        }
        let now = json!(self.config);
        // Others that want it otherwise may change it back each time.
        let differences = differences(&info.config, &config).into_iter();
        let told = differences.filter(|(it, ..)| self.throttle.lets_through(it).is_some());
        for (setting, found, wanted) in told {
            let (stream, durable) = (&*self.origin.stream, &*self.origin.durable);
            if now[&setting] == found {
                tracing::warn!(
                    stream, durable, setting, %found, %wanted,
                    "a limit of the stream stands above this, see its consumer_limits"
                );
            } else {
                tracing::warn!(
                    stream, durable, setting, %found, %wanted,
                    "the consumer is changed to what the route needs"
                );
            }
        }
        Ok(())
    }

    async fn create_or_update(&self, config: Config) -> Result<Info, End> {
        let consumer = self.api.create_consumer(config).await;
        let excess = ErrorCode::CONSUMER_MAX_PENDING_ACK_EXCESS;
        let consumer = consumer.map_err(|error| match error.kind() {
            ConsumerErrorKind::JetStream(cause) if cause.error_code() == excess => {
                End::Failed(format!("{error}: lower window_events"))
            }
            _ => error.into(),
        })?;
        Ok(consumer.cached_info().clone())
    }

    /// Has everything unacknowledged delivered again in order, from consumer sequence 1; returns
    /// where that begins. With a sequence, everything before it counts as acknowledged.
    pub(super) async fn reset(&self, to: Option<u64>) -> Result<u64, End> {
        let reset = self.api.reset_consumer(&self.origin.durable, to).await?;
        Ok(reset.reset_seq)
    }

    pub(super) async fn unpin(&self) -> Result<(), End> {
        Ok(self.api.unpin_consumer(&self.origin.durable, GROUP).await?)
    }

    pub(super) async fn stored_from(&self, sequence: u64) -> Result<Option<StoredMessage>, End> {
        let (stream, subjects) = (&self.origin.stream, &self.origin.subjects);
        Ok(first_from(&self.context, stream, subjects, sequence).await?)
    }

    /// Never waits; false where it cannot be sent now.
    pub(super) fn send(&self, reply: &Subject, ack: AckKind) -> bool {
        let sent = self.link.client.publish(reply.clone(), ack.into());
        // Tokio's task budget is far smaller than the acknowledgements of one turn.
        unconstrained(sent).now_or_never().is_some()
    }

    /// Whether the consumer was found over the connection that stands.
    pub(super) fn is_known(&self) -> bool {
        self.found_on.is_some() && self.found_on == self.link.connection()
    }
}

async fn api(link: &Link, origin: &StreamOrigin) -> (Context, stream::Stream<()>) {
    let mut context = link.jetstream();
    context.set_timeout(ANSWER_TIMEOUT);
    let api = context.get_stream_no_info(&origin.stream).await;
    let api = api.expect("settings let no other name in");
    (context, api)
}
