//! Asks a server whether a stream can be read or written. No consumer is made and nothing is published.

use std::fmt::Display;
use std::sync::{Arc, Mutex};

use async_nats::jetstream::context::ConsumerInfoErrorKind;
use async_nats::jetstream::stream::Config;
use async_nats::jetstream::{self, Context};
use async_nats::{Event, ServerError};

use super::connection::NatsCluster;
use super::settings::{NatsOrigin, StreamOrigin};
use super::sink::{NatsSinkSettings, forgets, is_missing, obstacle};
use super::source::{check_fit, check_server, unheard};
use super::subject;
use crate::config::Fault;
use crate::shared::lock;
use crate::tls;
use crate::transport::SourceError;
use crate::transport::contract::CheckAnswers;

struct Asked {
    context: Context,
    /// What the server refused last: a request without permission has no answer.
    refused: Arc<Mutex<Option<String>>>,
}

impl Asked {
    /// None where no server was reached; the first answer says so.
    async fn connect(cluster: &NatsCluster) -> (Option<Self>, CheckAnswers) {
        let refused: Arc<Mutex<Option<String>>> = Arc::default();
        let notes = Arc::clone(&refused);
        let options = cluster.options.clone().event_callback(move |event| {
            if let Event::ServerError(ServerError::Other(text)) = event {
                *lock(&notes) = Some(text);
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
                let cause = error.to_string();
                let remedy = "correct `servers`, `tls`, and `secrets` or `credentials` of the connection, or start a server";
                let remedy = tls::failure(&cause).map_or(remedy, |failure| failure.remedy());
                (None, Err(Fault::new(cause, remedy)))
            }
        };
        (asked, vec![("server", answer)])
    }

    fn fault(&self, error: impl Display) -> Fault {
        let refused = lock(&self.refused).take();
        let remedy = match refused {
            Some(_) => "let the user publish to that subject",
            None => "look whether the server has JetStream, and the user its API",
        };
        Fault::new(refused.unwrap_or_else(|| error.to_string()), remedy)
    }
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
    let stream = stream.map_err(|error| asked.fault(error))?;
    let answer = match stream.consumer_info(&origin.durable).await {
        Ok(info) => match check_fit(&info.config) {
            Ok(()) => Ok(format!("is there, {} messages behind it", info.num_pending)),
            Err(unfit) => Err(two_ways(unfit)),
        },
        Err(error) => match error.kind() {
            ConsumerInfoErrorKind::NotFound => Ok("will be made".to_owned()),
            ConsumerInfoErrorKind::StreamNotFound => Err(no_stream()),
            _ => Err(asked.fault(error)),
        },
    }?;
    // Not every user may ask.
    let Ok(info) = stream.get_info().await else {
        return Ok(answer);
    };
    let (what, all) = ("the stream does not listen on", origin.subjects.len());
    match unheard(&info.config, &origin.subjects) {
        0 => Ok(answer),
        some if some < all => Ok(format!("{answer}, but {what} {some} of {all} subjects")),
        _ => Err(Fault::new(
            format!("{what} what is taken"),
            "correct `subject`, or add it to the stream",
        )),
    }
}

fn two_ways(error: SourceError) -> Fault {
    Fault::new(error.detail, "use one of the two ways that are named")
}

fn no_stream() -> Fault {
    Fault::new("there is no such stream", "make it, or correct `stream`")
}

pub(super) async fn sink(
    cluster: &NatsCluster,
    settings: &NatsSinkSettings,
    keeps_dead_letters: bool,
) -> CheckAnswers {
    let (asked, mut answers) = Asked::connect(cluster).await;
    let Some(asked) = asked else { return answers };
    if let Some(stream) = &settings.stream {
        let answer = match asked.context.get_stream(stream).await {
            Ok(stream) => keeps(settings, keeps_dead_letters, &stream.cached_info().config),
            Err(error) if is_missing(&error) => Err(no_stream()),
            Err(error) => Err(asked.fault(error)),
        };
        answers.push(("stream", answer));
    } else if let Ok(stream) = asked.context.stream_by_subject(&settings.subject).await {
        // A ring that settings do not show.
        let told = format!("{stream} keeps it too: a route that reads all of it reads this again");
        answers.push(("stream", Ok(told)));
    }
    answers
}

fn keeps(
    settings: &NatsSinkSettings,
    keeps_dead_letters: bool,
    config: &Config,
) -> Result<String, Fault> {
    if let Some((_, cause)) = obstacle(config, settings.accepts_memory, keeps_dead_letters) {
        return Err(Fault::new(cause, "change the stream so"));
    }
    let takes = |filter: &String| subject::matches(filter, &settings.subject);
    let listens = config.subjects.iter().any(takes);
    let remedy = "add the subject to the stream, or correct `subject`";
    Fault::unless(listens, "does not listen on the subject", remedy)?;
    let but_not = forgets(config).map(|what| format!(", but not {what}"));
    let (but_not, replicas) = (but_not.unwrap_or_default(), config.num_replicas);
    Ok(format!(
        "keeps what is written{but_not}, {replicas} replicas"
    ))
}
