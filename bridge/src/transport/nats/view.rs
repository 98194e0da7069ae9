//! Looks at a stream message by message through the stream's API, or listens on a core subject.
//! Without a consumer the server keeps nothing of it, and a message that the client cannot read is
//! seen all the same.

mod checkpoints;
mod stream;

use std::collections::{BTreeMap, BTreeSet};
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::context::{ConsumerInfoErrorKind, RequestErrorKind};
use async_nats::jetstream::response::Response;
use async_nats::jetstream::{Context, ErrorCode};
use futures_util::future::LocalBoxFuture;
use futures_util::stream::{once, select_all};
use futures_util::{FutureExt, StreamExt};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use super::TRANSPORT;
use super::connection::NatsCluster;
use super::link::Link;
use super::message::received_from;
use super::settings::StreamOrigin;
use crate::transport::address::Address;
use crate::transport::view::{
    CheckpointStore, OpenView, PartitionOffset, Span, View, ViewError, ViewStart, Viewed,
};
use checkpoints::ConsumerCheckpoints;
use stream::StreamReader;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct NatsView {
    pub(super) cluster: NatsCluster,
    /// Without one, that which keeps the subject; where none does, what is published from now on.
    pub(super) stream: Option<String>,
    /// Messages through one of these; all of a stream where there is none.
    pub(super) subjects: Vec<String>,
    /// Dead letters have a header encoding of their own.
    pub(super) is_dead_letters: bool,
}

impl NatsView {
    /// None where no stream keeps the subject.
    async fn streams(&self, context: &Context) -> Result<Vec<String>, ViewError> {
        let (None, Some(subject)) = (&self.stream, self.subjects.first()) else {
            return Ok(self.stream.iter().cloned().collect());
        };
        let asked = json!({ "subject": subject });
        match context.request("STREAM.NAMES", &asked).await {
            Ok(Response::Ok(StreamNames { streams })) => Ok(streams.unwrap_or_default()),
            // A server or an account without JetStream has no streams.
            Ok(Response::Err { error }) => match error.error_code() {
                ErrorCode::JETSTREAM_NOT_ENABLED | ErrorCode::JETSTREAM_NOT_ENABLED_FOR_ACCOUNT => {
                    Ok(Vec::new())
                }
                _ => Err(failed(error)),
            },
            Err(error) if error.kind() == RequestErrorKind::NoResponders => Ok(Vec::new()),
            Err(error) => Err(failed(error)),
        }
    }
}

/// The first 1,024, as many as one answer holds.
#[derive(Deserialize)]
struct StreamNames {
    streams: Option<Vec<String>>,
}

/// The first sequence that the durable consumer has not acknowledged; nothing where there is no consumer yet.
pub(super) async fn ack_floor(
    cluster: &NatsCluster,
    origin: &StreamOrigin,
) -> Result<BTreeMap<i32, u64>, ViewError> {
    let link = connect(cluster).await?;
    let stream = link.jetstream().get_stream_no_info(&origin.stream).await;
    let info = stream.map_err(failed)?.consumer_info(&origin.durable).await;
    match info {
        Ok(info) => Ok([(0, info.ack_floor.stream_sequence + 1)].into()),
        Err(error) if error.kind() == ConsumerInfoErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(failed(error)),
    }
}

impl OpenView for NatsView {
    fn address(&self) -> Address {
        let subjects = self.subjects.join(" ");
        self.cluster.address(match &self.stream {
            Some(stream) => format!("stream {stream} {subjects}").trim_end().to_owned(),
            None => subjects,
        })
    }

    fn open(&self, span: Span) -> LocalBoxFuture<'_, Result<View, ViewError>> {
        async move {
            let link = connect(&self.cluster).await?;
            let context = link.jetstream();
            let streams = self.streams(&context).await?;
            if streams.is_empty() {
                let from_now_on = span.follows && span.start == ViewStart::End;
                return match self.subjects.first() {
                    Some(subject) if from_now_on => listen(link, subject).await,
                    _ => Err(failed(
                        "no stream keeps it: it can only be followed from now on (--follow)",
                    )),
                };
            }
            let (mut views, mut shortened) = (Vec::new(), BTreeSet::new());
            for (partition, stream) in (0..).zip(streams) {
                let subjects = self.subjects.clone();
                let reader = StreamReader::open(context.clone(), stream, subjects, span).await?;
                if reader.is_shortened {
                    shortened.insert(partition);
                }
                views.push(reader.view(partition, self.is_dead_letters));
            }
            // With its link the client connects again.
            let messages = select_all(views).inspect(move |_| {
                let _ = &link;
            });
            Ok(View::new(messages, shortened))
        }
        .boxed_local()
    }

    fn checkpoints(
        &self,
        name: &str,
    ) -> LocalBoxFuture<'_, Result<Box<dyn CheckpointStore>, ViewError>> {
        let name = name.to_owned();
        async move {
            let unsuited = |why: &str| {
                let place = self.address();
                let what = format!("{place} can keep no notes of what was sent again: {why}");
                ViewError::NoCheckpoints(what)
            };
            let link = connect(&self.cluster).await?;
            let streams = self.streams(&link.jetstream()).await?;
            let [stream] = &*streams else {
                return Err(unsuited(
                    "not exactly one stream keeps what is published there",
                ));
            };
            let notes = ConsumerCheckpoints::open(link, stream, &name, unsuited).await?;
            Ok(Box::new(notes) as Box<dyn CheckpointStore>)
        }
        .boxed_local()
    }
}

async fn listen(link: Link, subject: &str) -> Result<View, ViewError> {
    let client = &link.client;
    let subscriber = client.subscribe(subject.to_owned()).await.map_err(failed)?;
    // A flush returns once the server knows the subscription.
    client.flush().await.map_err(failed)?;
    let place: Arc<str> = format!("nats:{subject}").into();
    let messages = subscriber.enumerate().map(move |(number, message)| {
        // Without a client the connection ends.
        let _ = &link;
        Ok(Viewed {
            received: received_from(&place, message),
            at: PartitionOffset::at(number as u64),
            time_ms: Some(Timestamp::now().as_millisecond()),
        })
    });
    let end = once(ready(Err(failed("the connection was ended"))));
    Ok(View::new(messages.chain(end), BTreeSet::new()))
}

async fn connect(cluster: &NatsCluster) -> Result<Link, ViewError> {
    let connected = timeout(CONNECT_TIMEOUT, cluster.connect(&Arc::default())).await;
    connected.map_err(|_| failed(format!("no server within {CONNECT_TIMEOUT:?}")))
}

fn failed(detail: impl std::fmt::Display) -> ViewError {
    ViewError::Failed(format!("{}: {detail}", TRANSPORT.name))
}
