//! The messages of a stream, each requested by its sequence.
//!
//! A request is "the first message from here on". Several are under way at once, for sequences next
//! to each other, as long as each finds another message and they are small: that spares a round
//! trip for each message, and does not fetch one in a thousand many times.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream::context::Context;
use futures_util::future::try_join_all;
use futures_util::stream::{LocalBoxStream, iter, try_unfold};
use futures_util::{StreamExt, TryStreamExt};
use jiff::Timestamp;
use tokio::time::{Instant, sleep};

use super::super::restore_dead_letter;
use super::super::stored::{StoredError, StoredMessage, first_from};
use super::{PartitionOffset, Span, ViewError, ViewStart, Viewed, failed};
use crate::logging::Throttle;

const POLL: Duration = Duration::from_millis(200);
/// Longer with each time that no answer came: a large message takes its time.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(10);
/// The client gives up a connection over which no message is completed for so long.
const ANSWER_TIMEOUT_MAX: Duration = Duration::from_secs(30);
/// A server that starts may not have its streams yet.
const MISSING_MAX: Duration = Duration::from_secs(30);
const REQUESTS_MAX: u64 = 16;
/// Fewer requests at once where messages like the last ones would be more bytes than this.
const REQUEST_BYTES_MAX: u64 = 4 << 20;

pub(super) struct StreamReader {
    context: Context,
    stream: String,
    filters: Vec<String>,
    next: u64,
    requests: u64,
    /// Nothing where the view follows.
    last: Option<u64>,
    throttle: Throttle,
    /// There are messages before the start.
    pub(super) is_shortened: bool,
}

type Messages = BTreeMap<u64, StoredMessage>;

impl StreamReader {
    pub(super) async fn open(
        context: Context,
        stream: String,
        filters: Vec<String>,
        span: Span,
    ) -> Result<Self, ViewError> {
        let info = context.get_stream(&stream).await;
        let info = info.map_err(|error| failed(format!("stream {stream}: {error}")))?;
        let state = info.cached_info().state.clone();
        let mut reader = Self {
            context,
            stream,
            filters,
            next: state.first_sequence,
            requests: 1,
            last: (!span.follows).then_some(state.last_sequence),
            throttle: Throttle::default(),
            is_shortened: false,
        };
        match span.start {
            ViewStart::Earliest => {}
            ViewStart::Last(count) => {
                let first = (state.last_sequence + 1).saturating_sub(count);
                reader.next = reader.next.max(first);
            }
            ViewStart::End => reader.next = state.last_sequence + 1,
            ViewStart::Time(time) => reader.next = reader.since(time, state.last_sequence).await?,
        }
        reader.is_shortened = reader.next > state.first_sequence;
        Ok(reader)
    }

    /// Where several streams are viewed together, each is a partition.
    pub(super) fn view(
        self,
        partition: i32,
        is_dead_letters: bool,
    ) -> LocalBoxStream<'static, Result<Viewed, ViewError>> {
        let stream = self.stream.clone();
        let rounds = try_unfold(self, |mut reader| async move {
            let found = reader.next_messages().await?;
            let found = found.map(|found| iter(found.into_values().map(Ok::<_, ViewError>)));
            Ok::<_, ViewError>(found.map(|found| (found, reader)))
        });
        let viewed = move |message: StoredMessage| {
            let received = message.received(&stream);
            Viewed {
                received: match is_dead_letters {
                    true => restore_dead_letter(received),
                    false => received,
                },
                at: PartitionOffset {
                    partition,
                    offset: message.sequence(),
                },
                time_ms: Some(message.time_ms()),
            }
        };
        rounds.try_flatten().map_ok(viewed).boxed_local()
    }

    /// The times of a stream rise.
    async fn since(&self, time: Timestamp, last: u64) -> Result<u64, ViewError> {
        let (mut low, mut high) = (self.next, last + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            let found = first_from(&self.context, &self.stream, &[], middle).await;
            match found.map_err(failed)? {
                Some(message) if message.time_ms() < time.as_millisecond() => {
                    low = message.sequence() + 1;
                }
                // What is behind the middle is younger, or gone.
                _ => high = middle,
            }
        }
        Ok(low)
    }

    async fn next_messages(&mut self) -> Result<Option<Messages>, ViewError> {
        while self.last.is_none_or(|last| self.next <= last) {
            let mut found = self.request_all().await?;
            self.requests = next_requests(self.requests, &found);
            found.retain(|&sequence, _| self.last.is_none_or(|last| sequence <= last));
            if let Some((&newest, _)) = found.last_key_value() {
                self.next = newest + 1;
                return Ok(Some(found));
            }
            if self.last.is_some() {
                break;
            }
            sleep(POLL).await;
        }
        Ok(None)
    }

    /// Asks however long the server is away: whoever looks knows how long to wait. Of a stream
    /// that is gone nothing comes any more.
    async fn request_all(&mut self) -> Result<Messages, ViewError> {
        let (mut wait, mut missing_since) = (ANSWER_TIMEOUT, None);
        loop {
            self.context.set_timeout(wait);
            let (context, stream, filters) = (&self.context, &*self.stream, &*self.filters);
            let sequences = self.next..self.next + self.requests;
            let found = sequences.map(move |it| first_from(context, stream, filters, it));
            let error = match try_join_all(found).await {
                Ok(found) => return Ok(in_order(found)),
                Err(error) => error,
            };
            match &error {
                StoredError::NoStream => {
                    let since = missing_since.get_or_insert_with(Instant::now);
                    if since.elapsed() >= MISSING_MAX {
                        let what = "was deleted: make it anew, and look again";
                        return Err(failed(format!("stream {stream} {what}")));
                    }
                }
                // An outage says nothing of it, and the wait may have been too short.
                StoredError::Failed(_) => {
                    missing_since = None;
                    self.requests = 1;
                    wait = (2 * wait).min(ANSWER_TIMEOUT_MAX);
                }
            }
            let cause = error.to_string();
            if self.throttle.lets_through(&cause).is_some() {
                tracing::warn!(stream, cause, "the stream is asked again");
            }
            sleep(POLL).await;
        }
    }
}

/// Stops at the first sequence where nothing was found: a message may have come there a moment
/// later.
fn in_order(found: Vec<Option<StoredMessage>>) -> Messages {
    let found = found.into_iter().map_while(|message| message);
    found.map(|message| (message.sequence(), message)).collect()
}

fn next_requests(requests: u64, found: &Messages) -> u64 {
    let count = found.len() as u64;
    if count < requests {
        return 1;
    }
    let bytes: usize = found.values().map(StoredMessage::byte_len).sum();
    let fitting = REQUEST_BYTES_MAX * count / (bytes as u64).max(1);
    (2 * requests).min(REQUESTS_MAX).min(fitting).max(1)
}

#[cfg(test)]
mod tests;
