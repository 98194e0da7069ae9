//! What the stream is asked before the first event: whether it takes the subject, keeps what it
//! takes, and remembers an event for long enough to notice a repeat. It is asked again where an
//! answer makes doubt of it, or none comes, because somebody may have changed or replaced it.

use std::cell::Cell;
use std::time::Duration;

use async_nats::Client;
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::stream::{Config, StorageType};
use async_nats::jetstream::{self, Error, ErrorCode};
use tokio::time::{sleep, timeout};

use super::classify::NO_STREAM;
use crate::transport::contract::SinkOpening;
use crate::transport::nats::subject;

/// How long a bridge that was killed may take until it is back and reads from its watermark: the
/// session of a Kafka group, and a restart.
const RESTART: Duration = Duration::from_secs(30);
/// Pause before a stream that cannot be read is asked again.
const PAUSE: Duration = Duration::from_secs(5);
/// It is looked at again after this time: what is replaced while nothing is written makes no doubt,
/// and an operator may change what is too large.
const LOOK_AGAIN: Duration = Duration::from_secs(30);
/// How often in a row, a [`PAUSE`] apart, a stream may be missing before the route is held, where it
/// was never there: a server that starts may not have its streams yet.
const NEVER_SEEN: u32 = 1;
/// The same for one that was: the settings were right, and somebody makes it anew.
const SEEN: u32 = 6;

/// What the headers of a dead letter take at most, with a name of the route and a place of usual
/// length.
const EXPLANATION_BYTES: usize = 512;

/// The longest time between two attempts at one event that has been stored, as long as nothing
/// stands still: its answer got lost, the wait before the next attempt was the longest there is, and
/// the bridge was restarted in between. An operator who starts it again after an hour is later.
pub(super) fn worst_replay(ack_timeout: Duration, opening: &SinkOpening) -> Duration {
    ack_timeout + opening.retry_max + RESTART
}

/// What is known of a stream: most bytes of a message, headers included, or why its answers are worth
/// nothing, so that nothing is to be written.
pub(super) type Known = Result<usize, &'static str>;

/// Looks at one stream, and tells what is known of it.
pub(super) struct StreamCheck<'a> {
    pub(super) client: &'a Client,
    pub(super) stream: &'a str,
    /// The subject.
    pub(super) written: &'a str,
    pub(super) ack_timeout: Duration,
    pub(super) accepts_memory: bool,
    pub(super) opening: &'a SinkOpening,
    /// Whoever has a doubt empties it.
    pub(super) known: &'a Cell<Option<Known>>,
}

impl StreamCheck<'_> {
    /// Reads the stream and reports what does not fit. It is looked at again at every `doubt`, at most
    /// every [`PAUSE`].
    pub(super) async fn watch(&self, doubt: impl AsyncFn()) {
        self.report(&self.keeping(NEVER_SEEN).await);
        loop {
            drop(timeout(LOOK_AGAIN, doubt()).await);
            self.keeping(SEEN).await;
            sleep(PAUSE).await;
        }
    }

    /// Reads the stream until it is one that says what it has stored, and keeps it.
    async fn keeping(&self, patience: u32) -> Config {
        let mut was_told = false;
        loop {
            let config = self.read(patience).await;
            let Some((word, cause)) = self.obstacle(&config) else {
                self.known.set(Some(Ok(self.size_max(&config))));
                return config;
            };
            self.known.set(Some(Err(word)));
            if !was_told {
                let (route, stream) = (&*self.opening.route, self.stream);
                tracing::error!(route, stream, cause, "nothing is written to the stream");
            }
            was_told = true;
            sleep(PAUSE).await;
        }
    }

    /// Reads the stream, which may be missing as often as `patience` says.
    async fn read(&self, patience: u32) -> Config {
        let context = jetstream::new(self.client.clone());
        let (mut was_told, mut times) = (false, 0);
        loop {
            let was_known = self.known.get().is_some();
            let error = match context.get_stream(self.stream).await {
                // There was a doubt meanwhile, and this may be the stream before it.
                Ok(_) if was_known && self.known.get().is_none() => continue,
                Ok(stream) => return stream.cached_info().config.clone(),
                Err(error) => error,
            };
            let is_missing = |refusal: &Error| refusal.error_code() == ErrorCode::STREAM_NOT_FOUND;
            times = match error.kind() {
                GetStreamErrorKind::JetStream(refusal) if is_missing(&refusal) => times + 1,
                // An outage says nothing about the stream.
                _ => 0,
            };
            if times > 0 {
                let known = (times > patience).then_some(Err(NO_STREAM));
                self.known.set(known);
            }
            if !was_told {
                let (route, stream) = (&*self.opening.route, self.stream);
                tracing::warn!(route, stream, %error, "the stream cannot be read, asking again");
            }
            was_told = true;
            sleep(PAUSE).await;
        }
    }

    /// Why the answers of a stream are worth nothing, if so: a word, and what to do.
    fn obstacle(&self, config: &Config) -> Option<(&'static str, &'static str)> {
        if config.no_ack {
            let cause = "it has no_ack and never tells that an event is stored: make that false";
            Some(("stream-no-ack", cause))
        } else if config.storage == StorageType::Memory && !self.accepts_memory {
            let cause = "it has memory storage and loses what it acknowledged when servers stop: make it anew with file storage, or, but for dead letters, set memory_storage = \"accepted\"";
            Some(("stream-in-memory", cause))
        } else {
            None
        }
    }

    fn report(&self, config: &Config) {
        let (route, stream) = (&*self.opening.route, self.stream);
        let takes = |filter: &String| subject::matches(filter, self.written);
        if !config.subjects.iter().any(takes) {
            tracing::error!(
                route,
                stream,
                "the stream does not listen on what the route writes"
            );
        }
        // Dead letters have no identity: a repeat is kept.
        if self.opening.keeps_dead_letters {
            return self.compare_sizes(config);
        }
        let window = config.duplicate_window;
        let replay = worst_replay(self.ack_timeout, self.opening);
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

    /// Warns when an event that the route takes may be too large as a dead letter.
    fn compare_sizes(&self, config: &Config) {
        let most = self.size_max(config);
        let largest = self.opening.event_bytes_max + EXPLANATION_BYTES;
        if most < largest {
            let (route, stream) = (&*self.opening.route, self.stream);
            tracing::warn!(
                route,
                stream,
                most,
                largest,
                "dead letters of the largest events do not fit, and their keys would stand still: raise max_payload and max_msg_size, or keep dead letters in a file or in Kafka"
            );
        }
    }

    /// Most bytes of a message that the stream takes, headers included.
    fn size_max(&self, config: &Config) -> usize {
        let of_server = self.client.max_payload();
        let of_stream = usize::try_from(config.max_message_size).ok();
        let of_stream = of_stream.filter(|&bytes| bytes > 0);
        of_stream.map_or(of_server, |bytes| bytes.min(of_server))
    }
}
