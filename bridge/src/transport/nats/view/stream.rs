//! The messages of a stream, each asked for by its place.
//!
//! A question is "the first message from here on". Several are under way at once, from places next to
//! each other, as long as each finds another message and they are small: a server far away is read in
//! little memory without a round trip for each message, and one message in a thousand is not fetched
//! many times.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::context::Context;
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, try_join_all};
use jiff::Timestamp;
use tokio::time::{sleep, timeout};

use super::super::restore_dead_letter;
use super::super::stored::{StoredMessage, first_from};
use super::{Span, Spot, View, ViewError, ViewStart, Viewed, failed};

/// How often a stream is looked at for more.
const LOOK: Duration = Duration::from_millis(200);
/// Most questions under way.
const WIDTH: u64 = 16;
/// Fewer questions are put at once where messages like the last ones would be more bytes than this.
const ROUND_BYTES: u64 = 4 << 20;
/// How long a server that does not answer is asked again, once it was there.
const PATIENCE: Duration = Duration::from_secs(30);

/// See the module.
pub(super) struct StreamView {
    context: Context,
    stream: Arc<str>,
    filters: Vec<String>,
    is_dead_letters: bool,
    next: u64,
    /// What was found and not handed out yet: everything before `next`.
    found: VecDeque<StoredMessage>,
    /// Questions to put at once.
    width: u64,
    /// The last sequence that was there at the start; nothing where there is no end.
    last: Option<u64>,
}

impl StreamView {
    pub(super) async fn open(
        context: Context,
        (stream, filters, is_dead_letters): (String, Vec<String>, bool),
        span: Span,
    ) -> Result<Self, ViewError> {
        let info = context.get_stream(&stream).await;
        let info = info.map_err(|error| failed(format!("stream {stream}: {error}")))?;
        let state = info.cached_info().state.clone();
        let mut view = Self {
            context,
            stream: stream.into(),
            filters,
            is_dead_letters,
            next: state.first_sequence,
            found: VecDeque::new(),
            width: 1,
            last: (!span.follows).then_some(state.last_sequence),
        };
        match span.start {
            ViewStart::Earliest => {}
            ViewStart::End => view.next = state.last_sequence + 1,
            ViewStart::Time(time) => view.next = view.since(time, state.last_sequence).await?,
        }
        Ok(view)
    }

    /// The first sequence whose message is not older than `time`; the times of a stream rise.
    async fn since(&self, time: Timestamp, last: u64) -> Result<u64, ViewError> {
        let (mut low, mut high) = (self.next, last + 1);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.first_from(&[], middle).await? {
                Some(message) if message.time_ms() < Some(time.as_millisecond()) => {
                    low = message.sequence() + 1;
                }
                // What is behind the middle is young, or gone.
                _ => high = middle,
            }
        }
        Ok(low)
    }

    async fn first_from(
        &self,
        filters: &[String],
        sequence: u64,
    ) -> Result<Option<StoredMessage>, ViewError> {
        let found = first_from(&self.context, &self.stream, filters, sequence).await;
        found.map_err(|error| failed(error.to_string()))
    }

    /// What comes through from `next` on, in order, each once: at least all that lies in the places
    /// that were asked about.
    async fn ahead(&self) -> Result<BTreeMap<u64, StoredMessage>, ViewError> {
        let places = self.next..self.next + self.width;
        let found = try_join_all(places.map(|place| self.first_from(&self.filters, place))).await?;
        Ok(in_order(found))
    }

    /// The same, however long the server is away while the stream is followed.
    async fn patiently(&self) -> Result<BTreeMap<u64, StoredMessage>, ViewError> {
        let ask = async {
            loop {
                match self.ahead().await {
                    Ok(found) => return found,
                    Err(error) => tracing::warn!(%error, "the stream is asked again"),
                }
                sleep(LOOK).await;
            }
        };
        match self.last {
            None => Ok(ask.await),
            Some(_) => {
                let asked = timeout(PATIENCE, ask).await;
                asked.map_err(|_| failed("the server does not answer any more"))
            }
        }
    }
}

/// What was found from places next to each other on, each once. Behind a place where there was
/// nothing it is not believed: something may lie there by now that came a moment before.
fn in_order(found: Vec<Option<StoredMessage>>) -> BTreeMap<u64, StoredMessage> {
    let found = found.into_iter().map_while(|message| message);
    found.map(|message| (message.sequence(), message)).collect()
}

/// How many places to ask about at once, after that many found this.
fn next_width(width: u64, found: &BTreeMap<u64, StoredMessage>) -> u64 {
    let count = found.len() as u64;
    if count < width {
        return 1;
    }
    let bytes: u64 = found
        .values()
        .map(|message| message.byte_len() as u64)
        .sum();
    let fitting = ROUND_BYTES * count / bytes.max(1);
    (2 * width).min(WIDTH).min(fitting).max(1)
}

impl View for StreamView {
    fn next(&mut self) -> LocalBoxFuture<'_, Result<Option<Viewed>, ViewError>> {
        async move {
            loop {
                if let Some(message) = self.found.pop_front() {
                    return Ok(Some(self.viewed(&message)));
                }
                if self.last.is_some_and(|last| self.next > last) {
                    return Ok(None);
                }
                let mut found = self.patiently().await?;
                self.width = next_width(self.width, &found);
                if let Some(last) = self.last {
                    found.retain(|&sequence, _| sequence <= last);
                }
                let newest = found.last_key_value().map(|(&sequence, _)| sequence);
                match (newest, self.last) {
                    (Some(newest), _) => {
                        self.next = newest + 1;
                        self.found.extend(found.into_values());
                    }
                    (None, Some(_)) => return Ok(None),
                    (None, None) => sleep(LOOK).await,
                }
            }
        }
        .boxed_local()
    }

    fn left(&self) -> Option<u64> {
        Some((self.last? + 1).saturating_sub(self.next) + self.found.len() as u64)
    }
}

impl StreamView {
    fn viewed(&self, message: &StoredMessage) -> Viewed {
        let received = message.whole(&self.stream);
        Viewed {
            received: match self.is_dead_letters {
                true => restore_dead_letter(received),
                false => received,
            },
            spot: Spot {
                partition: 0,
                number: message.sequence(),
            },
            time_ms: message.time_ms(),
        }
    }
}

#[cfg(test)]
mod tests;
