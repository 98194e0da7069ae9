//! Checkpoints of a replay, as the metadata of a durable consumer that never takes anything: it lives and dies with the
//! stream, so a stream that is made anew has none. Needs a server from 2.10 on, and a stream that
//! keeps what it keeps whoever consumes it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, Info, pull};
use async_nats::jetstream::context::Context;
use async_nats::jetstream::stream::RetentionPolicy;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use serde_json::json;

use super::super::api::ask;
use super::{NoNotes, Note, Notes, ViewError, failed};

/// Where in the metadata the parts of a note stand.
const NEXT: &str = "cenl.next";
const BEYOND: &str = "cenl.beyond";
/// A consumer there decides with the others what is kept and who gets it.
const RETENTION: &str = "its stream has not the retention \"limits\", so a consumer that keeps notes would \
                         change what the stream keeps";
const DROPPED: &str = "the server does not keep the metadata of consumers: nats-server 2.10 does";

pub(super) struct Checkpoints {
    context: Context,
    stream: String,
    consumer: String,
}

impl Checkpoints {
    /// Checkpoints under `name`, of which the consumer's keeps letters, digits and hyphens.
    pub(super) async fn of(context: Context, stream: &str, name: &str) -> Result<Self, NoNotes> {
        let found = context.get_stream(stream).await;
        let found = found.map_err(|error| failed(format!("stream {stream}: {error}")))?;
        if found.cached_info().config.retention != RetentionPolicy::Limits {
            return Err(NoNotes::Unsuited(RETENTION));
        }
        let mut consumer = String::new();
        for c in name.chars() {
            match c {
                'a'..='z' | 'A'..='Z' | '0'..='9' | '-' => consumer.push(c),
                _ => write!(consumer, "_{:x}", u32::from(c)).expect("a string takes all"),
            }
        }
        Ok(Self {
            context,
            stream: stream.to_owned(),
            consumer,
        })
    }

    async fn note(&self) -> Result<Option<Note>, ViewError> {
        let question = format!("CONSUMER.INFO.{}.{}", self.stream, self.consumer);
        let info: Info = match ask(&self.context, question, &json!({})).await {
            Ok(info) => info,
            Err(error) if error.is(ErrorCode::CONSUMER_NOT_FOUND) => return Ok(None),
            Err(error) => return Err(failed(error.to_string())),
        };
        let text = |key| info.config.metadata.get(key).cloned().unwrap_or_default();
        Ok(Some(Note {
            next: text(NEXT).parse().unwrap_or_default(),
            beyond: text(BEYOND),
        }))
    }

    async fn replace(&self, note: Note) -> Result<(), ViewError> {
        let metadata = HashMap::from([
            (NEXT.to_owned(), note.next.to_string()),
            (BEYOND.to_owned(), note.beyond),
        ]);
        let config = pull::Config {
            durable_name: Some(self.consumer.clone()),
            description: Some("notes of cenl-bridge replay; takes nothing".to_owned()),
            deliver_policy: DeliverPolicy::New,
            ack_policy: AckPolicy::None,
            metadata: metadata.clone(),
            ..pull::Config::default()
        };
        let made = self.context.create_consumer_on_stream(config, &self.stream);
        let made = made.await.map_err(|error| failed(error.to_string()))?;
        match is_kept(&metadata, &made.cached_info().config.metadata) {
            true => Ok(()),
            false => Err(failed(DROPPED)),
        }
    }
}

/// Whether the server keeps what was sent; it may add something of its own.
fn is_kept(sent: &HashMap<String, String>, kept: &HashMap<String, String>) -> bool {
    sent.iter().all(|(key, value)| kept.get(key) == Some(value))
}

impl Notes for Checkpoints {
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Note>, ViewError>> {
        let note = self.note();
        note.map(|note| Ok(note?.into_iter().map(|note| (0, note)).collect()))
            .boxed_local()
    }

    fn write(&self, mut notes: BTreeMap<i32, Note>) -> LocalBoxFuture<'_, Result<(), ViewError>> {
        async move {
            match notes.remove(&0) {
                Some(note) => self.replace(note).await,
                None => Ok(()),
            }
        }
        .boxed_local()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_that_a_server_drops_or_changes_are_not_kept() {
        let map = |pairs: &[(&str, &str)]| -> HashMap<String, String> {
            let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
            pairs.iter().map(owned).collect()
        };
        let sent = map(&[(NEXT, "7"), (BEYOND, "")]);
        assert!(is_kept(&sent, &sent));
        let more = map(&[(NEXT, "7"), (BEYOND, ""), ("_nats.level", "1")]);
        assert!(is_kept(&sent, &more));
        for kept in [map(&[]), map(&[(NEXT, "6"), (BEYOND, "")])] {
            assert!(!is_kept(&sent, &kept));
        }
    }
}
