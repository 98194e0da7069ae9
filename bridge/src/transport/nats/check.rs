//! Asks a server whether a stream can be read or written. No consumer is made and nothing is published.

use std::sync::{Arc, Mutex};

use async_nats::jetstream::context::ConsumerInfoErrorKind;
use async_nats::jetstream::{self, Context};
use async_nats::{Event, ServerError};

use super::connection::NatsCluster;
use super::settings::{NatsOrigin, StreamOrigin};
use super::source::{check_fit, check_server};
use crate::config::Fault;
use crate::transport::SourceError;
use crate::transport::contract::CheckAnswers;

pub(super) struct Asked {
    pub(super) context: Context,
    /// What the server refused last: a request without permission has no answer.
    refused: Arc<Mutex<Option<String>>>,
}

impl Asked {
    /// None where no server was reached; the first answer says so.
    pub(super) async fn connect(cluster: &NatsCluster) -> (Option<Self>, CheckAnswers) {
        let refused: Arc<Mutex<Option<String>>> = Arc::default();
        let notes = Arc::clone(&refused);
        let options = cluster.options().event_callback(move |event| {
            if let (Event::ServerError(ServerError::Other(text)), Ok(mut last)) =
                (event, notes.lock())
            {
                *last = Some(text);
            }
            std::future::ready(())
        });
        let connected = options.connect(&cluster.addresses).await;
        let (asked, answer) = match connected {
            Ok(client) => {
                let context = jetstream::new(client);
                (Some(Self { context, refused }), Ok("answers".to_owned()))
            }
            Err(error) => {
                let remedy = "correct `servers`, `tls`, and `secrets` or `credentials` of the connection, or start a server";
                (None, Err(Fault::new(chain(&error), remedy)))
            }
        };
        (asked, vec![("server", answer)])
    }

    pub(super) fn fault(&self, error: &(dyn std::error::Error + 'static)) -> Fault {
        let refused = self.refused.lock().ok().and_then(|mut last| last.take());
        let remedy = match refused {
            Some(_) => "let the user publish to that subject",
            None => "look whether the server has JetStream, and the user its API",
        };
        Fault::new(refused.unwrap_or_else(|| chain(error)), remedy)
    }
}

fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

pub(super) async fn source(
    cluster: &NatsCluster,
    origin: &NatsOrigin,
    keeps_order: bool,
) -> CheckAnswers {
    let (asked, mut answers) = Asked::connect(cluster).await;
    if let (Some(asked), NatsOrigin::Stream(origin)) = (asked, origin) {
        let version = check_server(&asked.context.client(), origin, keeps_order);
        answers.push(("version", version.map_err(two_ways)));
        answers.push(("consumer", consumer(&asked, origin).await));
    }
    answers
}

async fn consumer(asked: &Asked, origin: &StreamOrigin) -> Result<String, Fault> {
    let stream = asked.context.get_stream_no_info(&origin.stream).await;
    let stream = stream.map_err(|error| asked.fault(&error))?;
    match stream.consumer_info(&origin.durable).await {
        Ok(info) => match check_fit(&info.config) {
            Ok(()) => Ok(format!("is there, {} messages behind it", info.num_pending)),
            Err(unfit) => Err(two_ways(unfit)),
        },
        Err(error) => match error.kind() {
            ConsumerInfoErrorKind::NotFound => Ok("will be made".to_owned()),
            ConsumerInfoErrorKind::StreamNotFound => Err(no_stream()),
            _ => Err(asked.fault(&error)),
        },
    }
}

fn two_ways(error: SourceError) -> Fault {
    Fault::new(error.detail, "use one of the two ways that are named")
}

pub(super) fn no_stream() -> Fault {
    Fault::new("there is no such stream", "make it, or correct `stream`")
}
