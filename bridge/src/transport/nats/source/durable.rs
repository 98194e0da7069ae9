//! The durable consumer of a route: created where there is none, changed to what the route needs,
//! and the requests made of it.

use std::sync::Arc;

use async_nats::Subject;
use async_nats::datetime::DateTime;
use async_nats::jetstream::consumer::{Config, Info};
use async_nats::jetstream::context::{ConsumerInfoErrorKind, Context};
use async_nats::jetstream::{self, stream};
use bytes::Bytes;
use futures_util::FutureExt;
use tokio::task::unconstrained;

use super::super::link::Link;
use super::super::message::{self, MessageInfo, ack_subject};
use super::super::settings::StreamOrigin;
use super::super::stored::{StoredMessage, first_from};
use super::consumer::{GROUP, differences, updated, wanted};
use super::{ACK, End, JetStreamSource};
use crate::config::Start;
use crate::delivery::window::Capacity;
use crate::transport::SourceError;

/// Failed looks in a row, after which it counts as deleted.
const NOT_FOUND_MAX: u32 = 3;

pub(super) struct Durable {
    pub(super) link: Link,
    context: Context,
    api: stream::Stream<()>,
    pub(super) stream: Arc<str>,
    pub(super) position_prefix: Arc<str>,
    pub(super) origin: StreamOrigin,
    pub(super) keeps_order: bool,
    capacity: Capacity,
    /// Another one of the same name has delivered nothing.
    created: Option<DateTime>,
    not_found: u32,
    /// Disconnections until the consumer was last found unchanged.
    pub(super) found_after: Option<u64>,
}

impl Durable {
    pub(super) async fn new(link: Link, source: &JetStreamSource) -> Self {
        let (context, origin) = (jetstream::new(link.client.clone()), &source.origin);
        let api = context.get_stream_no_info(&origin.stream).await;
        Self {
            api: api.expect("settings let no other name in"),
            link,
            context,
            stream: origin.stream.as_str().into(),
            position_prefix: message::position_prefix(&origin.stream),
            origin: origin.clone(),
            keeps_order: source.keeps_order,
            capacity: source.window,
            created: None,
            not_found: 0,
            found_after: None,
        }
    }

    pub(super) async fn info(&self) -> Result<Info, End> {
        Ok(self.api.consumer_info(&self.origin.durable).await?)
    }

    pub(super) async fn find(&mut self) -> Result<Info, End> {
        let disconnections = self.link.disconnections();
        let error = match self.api.consumer_info(&self.origin.durable).await {
            Ok(info) => {
                self.not_found = 0;
                let before = self.created.replace(info.created);
                let is_another = before.is_some_and(|before| before != info.created);
                self.found_after = (!is_another).then_some(disconnections);
                return match is_another {
                    true => Err(End::StartOver),
                    false => Ok(info),
                };
            }
            Err(error) => error,
        };
        let gone = match (error.kind(), self.created) {
            (ConsumerInfoErrorKind::NotFound, None) => {
                let info = self.create().await?;
                self.created = Some(info.created);
                self.found_after = Some(disconnections);
                return Ok(info);
            }
            (ConsumerInfoErrorKind::StreamNotFound, None) => {
                return Err("the stream does not exist yet".into());
            }
            (ConsumerInfoErrorKind::NotFound, _) => {
                format!("consumer {} was deleted", self.origin.durable)
            }
            (ConsumerInfoErrorKind::StreamNotFound, _) => {
                format!("stream {} was deleted", self.stream)
            }
            _ => return Err(error.into()),
        };
        self.not_found += 1;
        if self.not_found < NOT_FOUND_MAX {
            return Err("the consumer is not found".into());
        }
        Err(End::Fatal(SourceError {
            reason: "nats-consumer-gone",
            detail: format!(
                "{gone}, and with it the place where reading stood; restart to begin at `start`"
            ),
        }))
    }

    async fn create(&self) -> Result<Info, End> {
        // Not every user may request it.
        let next = match self.origin.start {
            Start::Latest => self.stream_info().await?.state.last_sequence + 1,
            Start::Earliest | Start::Time(_) => 1,
        };
        self.create_or_update(self.wanted(next)).await
    }

    pub(super) async fn update(&self, info: &Info) -> Result<(), End> {
        let Some(config) = updated(&self.wanted(1), &info.config).map_err(End::Fatal)? else {
            return Ok(());
        };
        for (setting, found, wanted) in differences(&info.config, &config) {
            tracing::warn!(
                stream = &*self.stream,
                durable = self.origin.durable,
                setting,
                %found,
                %wanted,
                "the consumer is changed to what the route needs"
            );
        }
        self.create_or_update(config).await.map(drop)
    }

    fn wanted(&self, next: u64) -> Config {
        wanted(&self.origin, self.keeps_order, self.capacity, next)
    }

    async fn create_or_update(&self, config: Config) -> Result<Info, End> {
        let consumer = self.api.create_consumer(config).await?;
        Ok(consumer.cached_info().clone())
    }

    pub(super) async fn stream_info(&self) -> Result<stream::Info, End> {
        Ok(self.api.get_info().await?)
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
        let filters = &self.origin.subjects;
        Ok(first_from(&self.context, &self.stream, filters, sequence).await?)
    }

    pub(super) fn ack_subject(&self, info: MessageInfo) -> Subject {
        ack_subject(&self.stream, &self.origin.durable, info).into()
    }

    /// Acknowledges a message and all before it, and waits until the server has taken that.
    pub(super) async fn confirm(&self, reply: Subject) -> Result<(), End> {
        Ok(self.link.client.request(reply, ACK).await.map(drop)?)
    }

    /// Never waits; false where it cannot be sent now. After a lost connection it could meet
    /// another consumer of this name.
    pub(super) fn send(&self, reply: &Subject, ack: Bytes) -> bool {
        if !self.is_connected() || !self.is_known() {
            return false;
        }
        let sent = self.link.client.publish(reply.clone(), ack);
        // Tokio's task budget is far smaller than the acknowledgements of one turn.
        unconstrained(sent).now_or_never().is_some()
    }

    /// Whether the consumer was found over this connection.
    pub(super) fn is_known(&self) -> bool {
        self.found_after == Some(self.link.disconnections())
    }

    pub(super) fn is_connected(&self) -> bool {
        self.link.is_up()
    }
}
