//! Questions to the JetStream API about one consumer and its stream.

use async_nats::Client;
use async_nats::jetstream::consumer::{Info, pull};
use async_nats::jetstream::context::{Context, RequestErrorKind};
use async_nats::jetstream::response::Response;
use async_nats::jetstream::{Error, ErrorCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::settings::StreamOrigin;
use super::consumer::GROUP;
use super::raw::RawMessage;

/// Why a question has no answer.
#[derive(Debug)]
pub(super) enum Trouble {
    NoStream,
    NoConsumer,
    /// Another try may help.
    Passing(String),
}

/// See the module.
#[derive(Clone)]
pub(super) struct Api {
    context: Context,
    stream: String,
    durable: String,
    filters: Vec<String>,
}

#[derive(Deserialize)]
struct Got {
    message: RawMessage,
}

impl Api {
    pub(super) fn new(client: &Client, origin: &StreamOrigin) -> Self {
        let all = || vec![">".to_owned()];
        let filters = Some(origin.subjects.clone()).filter(|subjects| !subjects.is_empty());
        Self {
            context: async_nats::jetstream::new(client.clone()),
            stream: origin.stream.clone(),
            durable: origin.durable.clone(),
            filters: filters.unwrap_or_else(all),
        }
    }

    /// The consumer as it is.
    pub(super) async fn info(&self) -> Result<Info, Trouble> {
        self.ask("CONSUMER.INFO", &self.of_consumer(), json!({}))
            .await
    }

    /// Makes the consumer, unless there is one with another configuration.
    pub(super) async fn create(&self, config: pull::Config) -> Result<(), Trouble> {
        let made = self
            .context
            .create_consumer_strict_on_stream(config, &self.stream);
        made.await
            .map(drop)
            .map_err(|error| Trouble::Passing(error.to_string()))
    }

    /// Lets another process take over.
    pub(super) async fn unpin(&self) -> Result<(), Trouble> {
        let asked = json!({ "group": GROUP });
        self.ask::<Value>("CONSUMER.UNPIN", &self.of_consumer(), asked)
            .await
            .map(drop)
    }

    /// The first message of the consumer at `sequence` or behind it.
    pub(super) async fn raw_from(&self, sequence: u64) -> Result<Option<RawMessage>, Trouble> {
        let mut first: Option<RawMessage> = None;
        for filter in &self.filters {
            let asked = json!({ "seq": sequence, "next_by_subj": filter });
            let Got { message } = match self.ask("STREAM.MSG.GET", &self.stream, asked).await {
                Ok(got) => got,
                Err(Trouble::Passing(cause)) if cause == NO_MESSAGE => continue,
                Err(trouble) => return Err(trouble),
            };
            if first.as_ref().is_none_or(|first| message.seq < first.seq) {
                first = Some(message);
            }
        }
        Ok(first)
    }

    fn of_consumer(&self) -> String {
        format!("{}.{}", self.stream, self.durable)
    }

    async fn ask<T: serde::de::DeserializeOwned>(
        &self,
        question: &str,
        about: &str,
        asked: Value,
    ) -> Result<T, Trouble> {
        match self
            .context
            .request(format!("{question}.{about}"), &asked)
            .await
        {
            Ok(Response::Ok(answer)) => Ok(answer),
            Ok(Response::Err { error }) => Err(trouble(&error)),
            Err(error) => Err(Trouble::Passing(match error.kind() {
                RequestErrorKind::NoResponders => "jetstream does not answer".to_owned(),
                _ => error.to_string(),
            })),
        }
    }
}

/// The description of an answer that holds no message.
const NO_MESSAGE: &str = "no message found";

fn trouble(error: &Error) -> Trouble {
    match error.error_code() {
        ErrorCode::STREAM_NOT_FOUND => Trouble::NoStream,
        ErrorCode::CONSUMER_NOT_FOUND => Trouble::NoConsumer,
        ErrorCode::NO_MESSAGE_FOUND => Trouble::Passing(NO_MESSAGE.to_owned()),
        _ => Trouble::Passing(error.to_string()),
    }
}
