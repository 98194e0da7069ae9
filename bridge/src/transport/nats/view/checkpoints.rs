//! Checkpoints, in the metadata of a durable consumer that never takes anything: a
//! stream that is made anew has none.

use std::collections::{BTreeMap, HashMap};

use async_nats::jetstream::consumer::{AckPolicy, DeliverPolicy, pull};
use async_nats::jetstream::context::ConsumerInfoErrorKind;
use async_nats::jetstream::stream::{RetentionPolicy, Stream};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;

use super::{Link, ViewError, failed};
use crate::transport::view::{Checkpoint, CheckpointStore, plain_name};

const NEXT: &str = "cenl.next";
const BEYOND: &str = "cenl.beyond";
const RETENTION: &str = "its stream has not the retention \"limits\", so a consumer that keeps notes would \
                         change what the stream keeps";
const DROPPED: &str = "the server does not keep the metadata of consumers: nats-server 2.10 does";

pub(super) struct ConsumerCheckpoints {
    /// With it the client connects again.
    _link: Link,
    stream: Stream,
    consumer: String,
}

impl ConsumerCheckpoints {
    pub(super) async fn open(
        link: Link,
        stream: &str,
        name: &str,
        unsuited: impl Fn(&str) -> ViewError,
    ) -> Result<Self, ViewError> {
        let found = link.jetstream().get_stream(stream).await;
        let stream = found.map_err(|error| failed(format!("stream {stream}: {error}")))?;
        if stream.cached_info().config.retention != RetentionPolicy::Limits {
            return Err(unsuited(RETENTION));
        }
        Ok(Self {
            _link: link,
            stream,
            consumer: plain_name(name, '_'),
        })
    }
}

impl CheckpointStore for ConsumerCheckpoints {
    fn read(&self) -> LocalBoxFuture<'_, Result<BTreeMap<i32, Checkpoint>, ViewError>> {
        async move {
            let info = match self.stream.consumer_info(&self.consumer).await {
                Ok(info) => info,
                Err(error) if error.kind() == ConsumerInfoErrorKind::NotFound => {
                    return Ok(BTreeMap::new());
                }
                Err(error) => return Err(failed(error)),
            };
            let text = |key| info.config.metadata.get(key).cloned().unwrap_or_default();
            let note = Checkpoint {
                next: text(NEXT).parse().unwrap_or_default(),
                beyond: text(BEYOND),
            };
            Ok(BTreeMap::from([(0, note)]))
        }
        .boxed_local()
    }

    fn write(
        &self,
        mut notes: BTreeMap<i32, Checkpoint>,
    ) -> LocalBoxFuture<'_, Result<(), ViewError>> {
        async move {
            let Some(note) = notes.remove(&0) else {
                return Ok(());
            };
            let metadata = HashMap::from([
                (NEXT.to_owned(), note.next.to_string()),
                (BEYOND.to_owned(), note.beyond),
            ]);
            let config = pull::Config {
                durable_name: Some(self.consumer.clone()),
                description: Some("checkpoint of cenl-bridge; takes nothing".to_owned()),
                deliver_policy: DeliverPolicy::New,
                ack_policy: AckPolicy::None,
                metadata: metadata.clone(),
                ..pull::Config::default()
            };
            let made = self.stream.create_consumer(config).await.map_err(failed)?;
            match is_kept(&metadata, &made.cached_info().config.metadata) {
                true => Ok(()),
                false => Err(failed(DROPPED)),
            }
        }
        .boxed_local()
    }
}

/// The server may add metadata of its own.
fn is_kept(sent: &HashMap<String, String>, kept: &HashMap<String, String>) -> bool {
    sent.iter().all(|(key, value)| kept.get(key) == Some(value))
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
