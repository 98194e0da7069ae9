//! One durable consumer: what is asked of it and told to it.

use std::sync::Arc;

use async_nats::connection::State;
use async_nats::jetstream::consumer::{Config, Info};
use async_nats::jetstream::context::Context;
use async_nats::jetstream::{self, ErrorCode, stream};
use async_nats::{Client, Subject};
use bytes::Bytes;
use futures_util::FutureExt;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::task::unconstrained;

use super::super::api::{ApiError, ask};
use super::super::message::{self, MessageInfo, ack_subject};
use super::super::settings::StreamOrigin;
use super::super::stored::{StoredMessage, first_from};
use super::consumer::GROUP;
use super::pulls::Pull;

/// See the module.
#[derive(Clone)]
pub(super) struct Durable {
    client: Client,
    context: Context,
    pub(super) stream: Arc<str>,
    /// Of its messages.
    pub(super) place: Arc<str>,
    pub(super) name: String,
    pub(super) filters: Vec<String>,
}

#[derive(Deserialize)]
struct ResetAnswer {
    reset_seq: u64,
}

impl Durable {
    pub(super) fn new(client: &Client, origin: &StreamOrigin) -> Self {
        Self {
            client: client.clone(),
            context: jetstream::new(client.clone()),
            stream: origin.stream.as_str().into(),
            place: message::place(&origin.stream),
            name: origin.durable.clone(),
            filters: origin.subjects.clone(),
        }
    }

    /// The consumer as it is; nothing where there is none.
    pub(super) async fn info(&self) -> Result<Option<Info>, ApiError> {
        match self.ask("CONSUMER.INFO", json!({})).await {
            Ok(info) => Ok(Some(info)),
            Err(error) if error.is(ErrorCode::CONSUMER_NOT_FOUND) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Makes the consumer, or changes it.
    pub(super) async fn put(&self, config: Config) -> Result<Info, String> {
        let put = self
            .context
            .create_consumer_on_stream(config, &*self.stream);
        let put = put.await.map_err(|error| error.to_string())?;
        Ok(put.cached_info().clone())
    }

    /// The stream as it is.
    pub(super) async fn stream_info(&self) -> Result<stream::Info, ApiError> {
        let question = format!("STREAM.INFO.{}", self.stream);
        ask(&self.context, question, &json!({})).await
    }

    /// Has everything delivered again that is not acknowledged, in order, from consumer sequence 1 on;
    /// returns where that begins. With a sequence, everything before it counts as acknowledged.
    pub(super) async fn reset(&self, to: Option<u64>) -> Result<u64, ApiError> {
        let asked = to.map_or_else(|| json!({}), |sequence| json!({ "seq": sequence }));
        let ResetAnswer { reset_seq } = self.ask("CONSUMER.RESET", asked).await?;
        Ok(reset_seq)
    }

    /// Takes the pin from the process that has it.
    pub(super) async fn unpin(&self) -> Result<(), ApiError> {
        let asked = json!({ "group": GROUP });
        self.ask::<Value>("CONSUMER.UNPIN", asked).await.map(drop)
    }

    /// The first message of the consumer at `sequence` or behind it, as the stream keeps it.
    pub(super) async fn stored_from(
        &self,
        sequence: u64,
    ) -> Result<Option<StoredMessage>, ApiError> {
        first_from(&self.context, &self.stream, &self.filters, sequence).await
    }

    /// Sequences from `sequence` to `last` of messages that the client cannot read, among so many.
    pub(super) async fn unreadable(
        &self,
        mut sequence: u64,
        last: u64,
        most: usize,
    ) -> Result<Vec<u64>, ApiError> {
        let mut unreadable = Vec::new();
        for _ in 0..most {
            let stored = self.stored_from(sequence).await?;
            let Some(stored) = stored.filter(|stored| stored.sequence() <= last) else {
                break;
            };
            unreadable.extend((!stored.is_readable()).then_some(stored.sequence()));
            sequence = stored.sequence() + 1;
        }
        Ok(unreadable)
    }

    /// Asks for messages, without waiting; false where the client cannot take it now.
    pub(super) fn pull(&self, inbox: String, pull: &Pull) -> bool {
        let pull = serde_json::to_vec(pull).expect("numbers and names are JSON");
        let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{}.{}", self.stream, self.name);
        let asked = self.client.publish_with_reply(subject, inbox, pull.into());
        // The scheduler's budget for one turn ends far below what one turn has to say.
        matches!(unconstrained(asked).now_or_never(), Some(Ok(())))
    }

    /// Says something of a message, without waiting; false where that cannot be said now. What the
    /// client kept for the next connection could meet another stream of the same name.
    pub(super) fn say(&self, reply: &Subject, word: Bytes) -> bool {
        let said = self.client.publish(reply.clone(), word);
        self.is_connected() && unconstrained(said).now_or_never().is_some()
    }

    pub(super) fn is_connected(&self) -> bool {
        self.client.connection_state() == State::Connected
    }

    /// What acknowledges a message that was not delivered.
    pub(super) fn ack_subject(&self, message: &StoredMessage, consumer_sequence: u64) -> Subject {
        let info = MessageInfo {
            delivered: 1,
            stream_sequence: message.sequence(),
            consumer_sequence,
            published: message.published(),
        };
        ack_subject(&self.stream, &self.name, info).into()
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        question: &str,
        asked: Value,
    ) -> Result<T, ApiError> {
        let question = format!("{question}.{}.{}", self.stream, self.name);
        ask(&self.context, question, &asked).await
    }
}
