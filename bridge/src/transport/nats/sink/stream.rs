//! What the stream is asked when the sink starts: whether it takes the subject, and whether it
//! remembers an event for long enough to notice a repeat. Whether it acknowledges at all is asked
//! again when an answer is overdue, because somebody may have changed that meanwhile.

use std::time::Duration;

use async_nats::jetstream::stream::Config;
use async_nats::{Client, jetstream};
use tokio::time::sleep;

use crate::transport::nats::subject;
use crate::transport::registry::SinkOpening;

/// How long a bridge that was killed may take until it is back and reads from its watermark: the
/// session of a Kafka group, and a restart.
const RESTART: Duration = Duration::from_secs(30);
/// Pause before a stream that cannot be read is asked again.
const PAUSE: Duration = Duration::from_secs(5);

/// The longest time between two attempts at one event that has been stored, as long as nothing
/// stands still: its answer got lost, the wait before the next attempt was the longest there is, and
/// the bridge was restarted in between. An operator who starts it again after an hour is later.
pub(super) fn worst_replay(ack_timeout: Duration, opening: &SinkOpening) -> Duration {
    ack_timeout + opening.retry_max + RESTART
}

/// Reads the stream and reports what does not fit. As long as it acknowledges nothing, it is silent;
/// so it is looked at again whenever an answer is `overdue`, and at most every [`PAUSE`].
pub(super) async fn watch(
    client: Client,
    stream: &str,
    written: &str,
    (ack_timeout, overdue): (Duration, impl AsyncFn()),
    opening: &SinkOpening,
    tell_silent: impl Fn(bool),
) {
    report(&client, stream, written, ack_timeout, opening, &tell_silent).await;
    loop {
        overdue().await;
        acknowledging(&client, stream, &opening.route, &tell_silent).await;
        sleep(PAUSE).await;
    }
}

async fn report(
    client: &Client,
    stream: &str,
    written: &str,
    ack_timeout: Duration,
    opening: &SinkOpening,
    tell_silent: &impl Fn(bool),
) {
    let route = &*opening.route;
    let max_payload = client.max_payload();
    let config = acknowledging(client, stream, route, tell_silent).await;
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
        return compare_sizes(max_payload, &config, stream, opening);
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

/// What the headers of a dead letter take at most, with a name of the route and a place of usual
/// length.
const EXPLANATION_BYTES: usize = 512;

/// Warns when an event that the route takes may be too large as a dead letter.
fn compare_sizes(max_payload: usize, config: &Config, stream: &str, opening: &SinkOpening) {
    let max_message = usize::try_from(config.max_message_size).ok();
    let max_message = max_message.filter(|&bytes| bytes > 0);
    let most = max_message.map_or(max_payload, |bytes| bytes.min(max_payload));
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

/// Reads the stream until it is one that says what it has stored.
async fn acknowledging(
    client: &Client,
    stream: &str,
    route: &str,
    tell_silent: &impl Fn(bool),
) -> Config {
    let mut was_told = false;
    loop {
        let config = read(client.clone(), stream, route).await;
        tell_silent(config.no_ack);
        if !config.no_ack {
            return config;
        }
        if !was_told {
            tracing::error!(
                route,
                stream,
                "the stream has no_ack and never tells that an event is stored: nothing is written until it is false"
            );
        }
        was_told = true;
        sleep(PAUSE).await;
    }
}

async fn read(client: Client, stream: &str, route: &str) -> Config {
    let context = jetstream::new(client);
    let mut was_told = false;
    loop {
        let error = match context.get_stream(stream).await {
            Ok(stream) => return stream.cached_info().config.clone(),
            Err(error) => error,
        };
        if !was_told {
            tracing::warn!(route, stream, %error, "the stream cannot be read, asking again");
        }
        was_told = true;
        sleep(PAUSE).await;
    }
}
