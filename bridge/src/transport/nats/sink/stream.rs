//! Checks before the first event whether the stream takes the subject, keeps what it takes, and
//! remembers an event for long enough to notice a repeat; checks again where an answer is wrong or
//! missing, because somebody may have changed or replaced it.

use std::cell::Cell;
use std::mem::replace;
use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::{GetStreamError, GetStreamErrorKind};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until, timeout};

use super::classify::NO_STREAM;
use super::settings::NatsSinkSettings;
use crate::logging::Throttle;
use crate::transport::contract::SinkOpening;
use crate::transport::nats::link::Link;
use crate::transport::nats::subject;

/// For a killed bridge to read again: the session of a Kafka group, and a restart.
const RESTART: Duration = Duration::from_secs(30);
const CHECK_PAUSE: Duration = Duration::from_secs(5);
/// An operator may change a stream while nothing is written.
const CHECK_AGAIN: Duration = Duration::from_secs(30);
/// How often in a row a stream may be missing before the route is held: a server that starts may
/// not have its streams yet.
const MISSING_AT_START: u32 = 1;
/// The same for one that was there: somebody makes it anew.
const MISSING_MAX: u32 = 6;
const EXPLANATION_BYTES: usize = 512;

/// Most bytes of a message, headers included; or why nothing is to be written.
pub(super) type StreamCheck = Result<usize, &'static str>;

pub(super) struct Stream {
    pub(super) name: String,
    settings: NatsSinkSettings,
    opening: SinkOpening,
    /// Nothing is published before it is there.
    pub(super) checked: Cell<Option<StreamCheck>>,
    pub(super) last_sequence: Cell<u64>,
}

impl Stream {
    pub(super) fn new(name: String, settings: &NatsSinkSettings, opening: SinkOpening) -> Self {
        Self {
            name,
            checked: Cell::new(settings.accepts_memory.then_some(Ok(usize::MAX))),
            settings: settings.clone(),
            opening,
            last_sequence: Cell::default(),
        }
    }

    pub(super) fn reset(&self) {
        if !self.settings.accepts_memory {
            self.checked.set(None);
        }
        self.last_sequence.set(0);
    }

    pub(super) async fn watch(&self, link: &Link, recheck: &Notify) {
        let context = link.jetstream();
        let stream = &self.name;
        let (mut missing, mut missing_max) = (0, MISSING_AT_START);
        let throttle = Throttle::default();
        loop {
            let (checked_at, was_checked) = (Instant::now(), self.checked.get().is_some());
            let is_fine = match context.get_stream(stream).await {
                // Reset while this request was under way: the answer may be outdated.
                Ok(_) if was_checked && self.checked.get().is_none() => continue,
                Ok(found) => {
                    let config = &found.cached_info().config;
                    let most = size_max(config, link.client.max_payload());
                    missing = 0;
                    let keeps_dead_letters = self.opening.keeps_dead_letters;
                    let obstacle =
                        obstacle(config, self.settings.accepts_memory, keeps_dead_letters);
                    let checked = obstacle.map_or(Ok(most), |(reason, _)| Err(reason));
                    self.checked.set(Some(checked));
                    match obstacle {
                        Some((reason, cause)) if throttle.lets_through(reason).is_some() => {
                            tracing::error!(stream, cause, "nothing is written to the stream");
                        }
                        None if replace(&mut missing_max, MISSING_MAX) != MISSING_MAX => {
                            self.report(config, most);
                        }
                        _ => {}
                    }
                    obstacle.is_none()
                }
                Err(error) => {
                    // An outage says nothing about the stream.
                    missing = if is_missing(&error) { missing + 1 } else { 0 };
                    if missing > 0 {
                        let is_gone = missing > missing_max;
                        self.checked.set(is_gone.then_some(Err(NO_STREAM)));
                    }
                    if throttle.lets_through(NO_STREAM).is_some() {
                        tracing::warn!(stream, %error, "the stream cannot be read, asking again");
                    }
                    false
                }
            };
            // What is unanswered may have an answer now.
            link.state.changed.notify_waiters();
            if is_fine {
                drop(timeout(CHECK_AGAIN, recheck.notified()).await);
            }
            sleep_until(checked_at + CHECK_PAUSE).await;
        }
    }

    fn report(&self, config: &Config, most: usize) {
        let stream = &self.name;
        let takes = |filter: &String| subject::matches(filter, &self.settings.subject);
        if !config.subjects.iter().any(takes) {
            tracing::error!(
                stream,
                "the stream does not listen on what the route writes"
            );
        }
        // Bounds are usual where events go; where dead letters go they end `replay`.
        if (self.opening.keeps_dead_letters || config.retention == RetentionPolicy::Interest)
            && let Some(but_not) = forgets(config)
        {
            tracing::warn!(
                stream,
                but_not,
                "the stream does not keep all that it acknowledges"
            );
        }
        // Dead letters have no identity: a repeat is kept.
        if self.opening.keeps_dead_letters {
            let largest = self.opening.event_bytes_max + EXPLANATION_BYTES;
            if most < largest {
                tracing::warn!(
                    stream,
                    most,
                    largest,
                    "dead letters of the largest events do not fit, and their keys would stand still: raise max_payload and max_msg_size, or keep dead letters in a file or in Kafka"
                );
            }
            return;
        }
        // The longest time between two attempts at a stored event: its answer was lost, the longest
        // back-off followed, and the bridge was restarted in between.
        let replay = self.settings.ack_timeout + self.opening.retry_max + RESTART;
        let window = config.duplicate_window;
        let (window_s, replay_s) = (window.as_secs_f64(), replay.as_secs_f64());
        if window < replay {
            tracing::warn!(
                stream,
                window_s,
                replay_s,
                "the duplicate window of the stream is shorter than a replay may take: repeats may be stored"
            );
        } else {
            tracing::info!(stream, window_s, replay_s, "the stream notices repeats");
        }
    }
}

/// A reason, and what to do.
pub(in crate::transport::nats) fn obstacle(
    config: &Config,
    accepts_memory: bool,
    keeps_dead_letters: bool,
) -> Option<(&'static str, &'static str)> {
    if config.no_ack {
        let cause = "it has no_ack and never tells that an event is stored: make that false";
        Some(("stream-no-ack", cause))
    } else if config.storage == StorageType::Memory && !accepts_memory {
        let cause = "it has memory storage and loses what it acknowledged when servers stop: make it anew with file storage, or, but for dead letters, set memory_storage = \"accepted\"";
        Some(("stream-in-memory", cause))
    } else if keeps_dead_letters && config.retention == RetentionPolicy::Interest {
        let cause = "its retention is interest and it forgets dead letters that no consumer asks for: make that limits";
        Some(("stream-forgets", cause))
    } else if keeps_dead_letters && replaces(config) {
        let cause = "it has max_msgs_per_subject, dead letters have one subject, and new ones remove the oldest: take that away, or set discard = new and discard_new_per_subject";
        Some(("stream-forgets", cause))
    } else {
        None
    }
}

/// What it does not keep although it acknowledges it.
pub(in crate::transport::nats) fn forgets(config: &Config) -> Option<String> {
    let is_old = config.discard == DiscardPolicy::Old;
    let has_interest = config.retention == RetentionPolicy::Interest;
    let forgotten = [
        (has_interest, "what no consumer asks for"),
        (!config.max_age.is_zero(), "what is older than max_age"),
        (is_old && config.max_messages > 0, "more than max_msgs"),
        (is_old && config.max_bytes > 0, "more than max_bytes"),
        (replaces(config), "more than max_msgs_per_subject"),
    ];
    let forgotten = forgotten.into_iter().filter(|(is_so, _)| *is_so);
    let forgotten: Vec<_> = forgotten.map(|(_, what)| what).collect();
    (!forgotten.is_empty()).then(|| forgotten.join(", "))
}

/// `discard = new` alone does not turn away what is too much for a subject.
fn replaces(config: &Config) -> bool {
    config.max_messages_per_subject > 0 && !config.discard_new_per_subject
}

fn size_max(config: &Config, of_server: usize) -> usize {
    let of_stream = usize::try_from(config.max_message_size).ok();
    let of_stream = of_stream.filter(|&bytes| bytes > 0);
    of_stream.map_or(of_server, |bytes| bytes.min(of_server))
}

pub(in crate::transport::nats) fn is_missing(error: &GetStreamError) -> bool {
    let not_found = ErrorCode::STREAM_NOT_FOUND;
    matches!(error.kind(), GetStreamErrorKind::JetStream(refusal) if refusal.error_code() == not_found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stream_does_not_keep_is_named_and_some_of_it_is_no_place_for_dead_letters() {
        type Change = fn(&mut Config);
        let changes: [(Change, Option<&str>, bool); 9] = [
            (|_| (), None, true),
            (|c| c.retention = RetentionPolicy::WorkQueue, None, true),
            (
                |c| c.retention = RetentionPolicy::Interest,
                Some("what no consumer asks for"),
                false,
            ),
            (
                |c| c.max_age = Duration::from_secs(1),
                Some("what is older than max_age"),
                true,
            ),
            (|c| c.max_messages = 3, Some("more than max_msgs"), true),
            (
                |c| (c.max_bytes, c.max_messages) = (9, 3),
                Some("more than max_msgs, more than max_bytes"),
                true,
            ),
            (
                |c| (c.max_bytes, c.max_messages, c.discard) = (9, 3, DiscardPolicy::New),
                None,
                true,
            ),
            (
                |c| (c.max_messages_per_subject, c.discard) = (1, DiscardPolicy::New),
                Some("more than max_msgs_per_subject"),
                false,
            ),
            (
                |c| (c.max_messages_per_subject, c.discard_new_per_subject) = (1, true),
                None,
                true,
            ),
        ];
        for (change, forgotten, suits_dead_letters) in changes {
            let mut config = Config::default();
            change(&mut config);
            assert_eq!(forgets(&config).as_deref(), forgotten, "{config:?}");
            assert_eq!(obstacle(&config, false, false), None, "{config:?}");
            let unsuited = obstacle(&config, false, true);
            assert_eq!(unsuited.is_none(), suits_dead_letters, "{config:?}");
        }
    }
}
