//! The messages of a stream, each asked for by its place.
//!
//! A question is "the first message from here on". Several are under way at once, from places next to
//! each other, as long as each finds another message: a server far away is read in bounded memory
//! without a round trip for each message, and one message in a thousand is not fetched many times.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::ErrorCode;
use async_nats::jetstream::context::Context;
use async_nats::jetstream::response::Response;
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, try_join_all};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{sleep, timeout};

use super::super::restore_dead_letter;
use super::super::source::RawMessage;
use super::{Span, Spot, View, ViewError, ViewStart, Viewed, failed};

/// How often a stream is looked at for more.
const LOOK: Duration = Duration::from_millis(200);
/// Most questions under way.
const WIDTH: u64 = 16;
/// How long a server that does not answer is asked again, once it was there.
const PATIENCE: Duration = Duration::from_secs(30);

/// See the module.
pub(super) struct Stored {
    context: Context,
    stream: Arc<str>,
    /// At least one.
    filters: Vec<String>,
    is_dead_letters: bool,
    next: u64,
    /// What was found and not handed out yet: everything before `next`.
    found: VecDeque<RawMessage>,
    /// Questions to put at once.
    width: u64,
    /// The last sequence that was there at the start; nothing where there is no end.
    last: Option<u64>,
}

#[derive(Deserialize)]
struct Got {
    message: RawMessage,
}

impl Stored {
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
            filters: match filters.is_empty() {
                true => vec![">".to_owned()],
                false => filters,
            },
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
            match self.ask(middle, ">").await? {
                Some(message) if message.time_ms() < Some(time.as_millisecond()) => {
                    low = message.sequence() + 1;
                }
                // What is behind the middle is young, or gone.
                _ => high = middle,
            }
        }
        Ok(low)
    }

    /// The first message at `sequence` or behind it that comes through one of the filters.
    async fn first_from(&self, sequence: u64) -> Result<Option<RawMessage>, ViewError> {
        let mut first: Option<RawMessage> = None;
        for filter in &self.filters {
            let found = self.ask(sequence, filter).await?;
            first = match (first, found) {
                (Some(first), Some(found)) if found.sequence() < first.sequence() => Some(found),
                (first, found) => first.or(found),
            };
        }
        Ok(first)
    }

    async fn ask(&self, sequence: u64, filter: &str) -> Result<Option<RawMessage>, ViewError> {
        let question = format!("STREAM.MSG.GET.{}", self.stream);
        let asked = json!({ "seq": sequence, "next_by_subj": filter });
        match self.context.request(question, &asked).await {
            Ok(Response::Ok(Got { message })) => Ok(Some(message)),
            Ok(Response::Err { error }) if error.error_code() == ErrorCode::NO_MESSAGE_FOUND => {
                Ok(None)
            }
            Ok(Response::Err { error }) => Err(failed(error.to_string())),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    /// What comes through from `next` on, in order, each once: at least all that lies in the places
    /// that were asked about.
    async fn ahead(&self) -> Result<BTreeMap<u64, RawMessage>, ViewError> {
        let places = self.next..self.next + self.width;
        let found = try_join_all(places.map(|place| self.first_from(place))).await?;
        let found = found.into_iter().flatten();
        Ok(found.map(|message| (message.sequence(), message)).collect())
    }

    /// The same, however long the server is away while the stream is followed.
    async fn patiently(&self) -> Result<BTreeMap<u64, RawMessage>, ViewError> {
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

impl View for Stored {
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
                let is_dense = found.len() as u64 == self.width;
                self.width = if is_dense {
                    (2 * self.width).min(WIDTH)
                } else {
                    1
                };
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

impl Stored {
    fn viewed(&self, message: &RawMessage) -> Viewed {
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
