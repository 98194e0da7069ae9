//! Looks at a stream, message by message through the stream's own API, or listens on a core subject.
//! There is no consumer, so the server keeps nothing of it, and a message that the client cannot
//! read as a delivery can be read all the same.

mod checkpoints;
mod core_subscription;
mod stream;

use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream;
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::time::timeout;

use super::connection::Cluster;
use super::{TRANSPORT, subject};
use crate::config::Fault;
use crate::transport::address::Address;
use crate::transport::view::{
    NoNotes, Note, Notes, OpenView, Span, Spot, View, ViewError, ViewStart, Viewed,
};
use checkpoints::Checkpoints;
use core_subscription::CoreSubscription;
use stream::StreamView;

/// Longest wait for a server.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// What can be looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The messages of a stream that come through one of the filters; all where there is none.
    Stream {
        stream: String,
        filters: Vec<String>,
    },
    /// What is published from now on.
    Subject(String),
    /// One of the two, whichever it is.
    StreamOrSubject(String),
}

/// A place on a server that can be looked at.
#[derive(Debug)]
pub(super) struct NatsView {
    pub(super) cluster: Cluster,
    pub(super) place: Place,
    /// What lies there is dead letters, which are spelled in their own way.
    pub(super) is_dead_letters: bool,
}

impl NatsView {
    /// A subject that no route names.
    pub(super) fn of_subject(cluster: Cluster, name: &str) -> Result<Self, Fault> {
        if !subject::is_filter(name) {
            let what = "is not a subject";
            let remedy = "write tokens with full stops between them, such as zaken.* or zaken.>";
            return Err(Fault::new(what, remedy));
        }
        Ok(Self {
            cluster,
            place: Place::StreamOrSubject(name.to_owned()),
            is_dead_letters: false,
        })
    }
}

impl OpenView for NatsView {
    fn address(&self) -> Address {
        Address {
            transport: TRANSPORT.name,
            server: self.cluster.servers().to_owned(),
            name: match &self.place {
                Place::Stream { stream, filters } if filters.is_empty() => {
                    format!("stream {stream}")
                }
                Place::Stream { stream, filters } => {
                    format!("stream {stream} {}", filters.join(" "))
                }
                Place::Subject(subject) | Place::StreamOrSubject(subject) => subject.clone(),
            },
        }
    }

    fn open(&self, span: Span) -> LocalBoxFuture<'_, Result<Box<dyn View>, ViewError>> {
        async move {
            let client = connect(&self.cluster).await?;
            let view: Box<dyn View> = match self.found(&client).await {
                Place::Stream { stream, filters } => {
                    let context = jetstream::new(client);
                    let places = (stream, filters, self.is_dead_letters);
                    Box::new(StreamView::open(context, places, span).await?)
                }
                Place::Subject(subject) | Place::StreamOrSubject(subject) => {
                    if !span.follows || span.start != ViewStart::End {
                        let what = "no stream keeps it: it can only be followed from now on";
                        return Err(failed(what));
                    }
                    Box::new(CoreSubscription::open(client, subject).await?)
                }
            };
            Ok(view)
        }
        .boxed_local()
    }

    fn notes(&self, name: &str) -> LocalBoxFuture<'_, Result<Box<dyn Notes>, NoNotes>> {
        let name = name.to_owned();
        async move {
            let Place::Stream { stream, .. } = &self.place else {
                return Err(NoNotes::Unsuited("no stream keeps what is published there"));
            };
            let context = jetstream::new(connect(&self.cluster).await?);
            let notes: Box<dyn Notes> = Box::new(Checkpoints::of(context, stream, &name).await?);
            Ok(notes)
        }
        .boxed_local()
    }
}

impl NatsView {
    /// The place, once a server has said which streams there are.
    async fn found(&self, client: &Client) -> Place {
        let Place::StreamOrSubject(subject) = &self.place else {
            return self.place.clone();
        };
        // A server without JetStream has no streams either.
        let streams = jetstream::new(client.clone());
        match streams.stream_by_subject(subject.clone()).await {
            Ok(stream) => Place::Stream {
                stream,
                filters: vec![subject.clone()],
            },
            Err(_) => Place::Subject(subject.clone()),
        }
    }
}

async fn connect(cluster: &Cluster) -> Result<Client, ViewError> {
    let connected = timeout(CONNECT_TIMEOUT, cluster.connect(cluster.options())).await;
    let link = connected.map_err(|_| failed(format!("no server within {CONNECT_TIMEOUT:?}")))?;
    Ok(link.client)
}

fn failed(detail: impl Into<String>) -> ViewError {
    ViewError {
        reason: TRANSPORT.name,
        detail: detail.into(),
    }
}
