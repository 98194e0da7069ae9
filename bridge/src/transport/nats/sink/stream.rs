//! What the stream is asked when the sink starts: whether it takes the subject, keeps what it takes,
//! and remembers an event for long enough to notice a repeat. Whether it acknowledges at all is asked
//! again when an answer is overdue, because somebody may have changed that meanwhile.

use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::stream::{Config, StorageType};
use async_nats::jetstream::{self, Error, ErrorCode};
use tokio::time::{sleep, timeout};

use crate::transport::nats::subject;
use crate::transport::registry::SinkOpening;

/// How long a bridge that was killed may take until it is back and reads from its watermark: the
/// session of a Kafka group, and a restart.
const RESTART: Duration = Duration::from_secs(30);
/// Pause before a stream that cannot be read is asked again.
const PAUSE: Duration = Duration::from_secs(5);
/// Where a sender waits, it is also looked at again after this time: an operator may change what is
/// too large for it.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// The longest time between two attempts at one event that has been stored, as long as nothing
/// stands still: its answer got lost, the wait before the next attempt was the longest there is, and
/// the bridge was restarted in between. An operator who starts it again after an hour is later.
pub(super) fn worst_replay(ack_timeout: Duration, opening: &SinkOpening) -> Duration {
    ack_timeout + opening.retry_max + RESTART
}

/// What is known of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Missing,
    /// What it answers is worth nothing, so nothing is to be written.
    Unfit(&'static str),
    /// What it acknowledges is stored; most bytes of a message, headers included.
    Fit(usize),
}

/// Why the answers of a stream are worth nothing, if so: a word, and what to do.
fn obstacle(config: &Config, accepts_memory: bool) -> Option<(&'static str, &'static str)> {
    if config.no_ack {
        let cause = "it has no_ack and never tells that an event is stored: make that false";
        Some(("stream-no-ack", cause))
    } else if config.storage == StorageType::Memory && !accepts_memory {
        let cause = "it has memory storage and loses what it acknowledged when servers stop: make it anew with file storage, or, but for dead letters, set memory_storage = \"accepted\"";
        Some(("stream-in-memory", cause))
    } else {
        None
    }
}

/// Reads the stream, tells what is known of it, and reports what does not fit. It is looked at again
/// whenever an answer is `overdue`, at most every [`PAUSE`].
pub(super) async fn watch(
    client: Client,
    stream: &str,
    written: &str,
    (ack_timeout, overdue): (Duration, impl AsyncFn()),
    (opening, accepts_memory): (&SinkOpening, bool),
    tell: impl Fn(Known),
) {
    let keeping = async || keeping(&client, stream, &opening.route, accepts_memory, &tell).await;
    report(
        &client,
        stream,
        written,
        ack_timeout,
        opening,
        &keeping().await,
    );
    let again = match opening.has_waiting_sender {
        true => LOOK_AGAIN,
        false => Duration::MAX,
    };
    loop {
        drop(timeout(again, overdue()).await);
        keeping().await;
        sleep(PAUSE).await;
    }
}

fn report(
    client: &Client,
    stream: &str,
    written: &str,
    ack_timeout: Duration,
    opening: &SinkOpening,
    config: &Config,
) {
    let route = &*opening.route;
    if !config
        .subjects
        .iter()
        .any(|filter| subject::matches(filter, written))
    {
        tracing::error!(
            route,
            stream,
            "the stream does not listen on what the route writes"
        );
    }
    // Dead letters have no identity: a repeat is kept.
    if opening.keeps_dead_letters {
        return compare_sizes(client, config, stream, opening);
    }
    let (window, replay) = (config.duplicate_window, worst_replay(ack_timeout, opening));
    if window < replay {
        tracing::warn!(
            route,
            stream,
            ?window,
            ?replay,
            "the duplicate window of the stream is shorter than a replay may take: repeats may be stored"
        );
    } else {
        tracing::info!(
            route,
            stream,
            ?window,
            ?replay,
            "the stream notices repeats"
        );
    }
}

/// Most bytes of a message that the stream takes, headers included.
fn size_max(client: &Client, config: &Config) -> usize {
    let of_server = client.max_payload();
    let of_stream = usize::try_from(config.max_message_size).ok();
    let of_stream = of_stream.filter(|&bytes| bytes > 0);
    of_stream.map_or(of_server, |bytes| bytes.min(of_server))
}

/// What the headers of a dead letter take at most, with a name of the route and a place of usual
/// length.
const EXPLANATION_BYTES: usize = 512;

/// Warns when an event that the route takes may be too large as a dead letter.
fn compare_sizes(client: &Client, config: &Config, stream: &str, opening: &SinkOpening) {
    let most = size_max(client, config);
    let largest = opening.event_bytes_max + EXPLANATION_BYTES;
    if most < largest {
        let route = &*opening.route;
        tracing::warn!(
            route,
            stream,
            most,
            largest,
            "dead letters of the largest events do not fit, and their keys would stand still: raise max_payload and max_msg_size, or keep dead letters in a file or in Kafka"
        );
    }
}

/// Reads the stream until it is one that says what it has stored, and keeps it.
async fn keeping(
    client: &Client,
    stream: &str,
    route: &str,
    accepts_memory: bool,
    tell: &impl Fn(Known),
) -> Config {
    let mut was_told = false;
    loop {
        let config = read(client.clone(), stream, route, tell).await;
        let Some((word, cause)) = obstacle(&config, accepts_memory) else {
            tell(Known::Fit(size_max(client, &config)));
            return config;
        };
        tell(Known::Unfit(word));
        if !was_told {
            tracing::error!(route, stream, cause, "nothing is written to the stream");
        }
        was_told = true;
        sleep(PAUSE).await;
    }
}

async fn read(client: Client, stream: &str, route: &str, tell: &impl Fn(Known)) -> Config {
    let context = jetstream::new(client);
    let mut was_told = false;
    loop {
        let error = match context.get_stream(stream).await {
            Ok(stream) => return stream.cached_info().config.clone(),
            Err(error) => error,
        };
        let is_missing = |refusal: &Error| refusal.error_code() == ErrorCode::STREAM_NOT_FOUND;
        if matches!(error.kind(), GetStreamErrorKind::JetStream(refusal) if is_missing(&refusal)) {
            tell(Known::Missing);
        }
        if !was_told {
            tracing::warn!(route, stream, %error, "the stream cannot be read, asking again");
        }
        was_told = true;
        sleep(PAUSE).await;
    }
}
