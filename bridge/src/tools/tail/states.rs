//! What became of the events of a route that have one id, and what the running bridge says of those that wait.

use std::collections::BTreeMap;

use cloudevents_nl_codec::{Decoded, Decoder};
use futures_util::TryStreamExt;
use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::super::shown::{MessageLine, Text, cause, line, moment, reasons};
use super::{TailOptions, ToolError, dead_letters, ledger};
use crate::admin::client::get;
use crate::admin::overview::{WaitingEvent, WaitingEvents};
use crate::config::Document;
use crate::delivery::Received;
use crate::logging::say;
use crate::plan::look;
use crate::route::dead_letter::restore;
use crate::route::filter::Filter;
use crate::transport::registry::TRANSPORTS;
use crate::transport::view::{PartitionOffset, ViewError, ViewStart};

pub(super) struct EventStates {
    filter: Option<Filter>,
    /// An event that can never be delivered is dropped.
    discards: bool,
    decoder: Decoder,
    /// Per partition the first position that is not settled.
    committed: BTreeMap<i32, u64>,
    /// What the running bridge says of those that wait, or why it does not.
    waiting: Result<Vec<WaitingEvent>, String>,
    /// By the position that the event was received at: what is said of its dead letter, and its own line.
    letters: BTreeMap<String, (String, Vec<u8>)>,
}

impl EventStates {
    /// The settings are read before anything is asked.
    pub(super) fn prepare(
        options: &TailOptions,
        document: &Document,
        route: &str,
        decoder: Decoder,
    ) -> Result<impl Future<Output = Result<Self, ViewError>>, ToolError> {
        let sink = look::dead_letter(document, TRANSPORTS, route)?;
        let place = sink.map(|sink| dead_letters(route, Some(&*sink)));
        let place = place.transpose()?;
        let (filter, discards) = look::losses(document, route)?;
        let source = look::source(document, TRANSPORTS, route)?;
        let admin = look::admin(document)?;
        Ok(async move {
            // First: what is committed later may be a dead letter by then.
            let committed = source.committed().await?;
            let id = options.id.as_deref().unwrap_or_default();
            let [name, id] = [route, id].map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC));
            let path = format!("/v1/routes/{name}/waiting-events?id={id}");
            let waiting = get(admin, &path).await;
            let mut states = Self {
                filter,
                discards,
                decoder,
                committed,
                waiting: waiting.map(|WaitingEvents { events, .. }| events),
                letters: BTreeMap::new(),
            };
            let Some(place) = place else {
                return Ok(states);
            };
            let ledger = ledger(&*place, route).await?;
            let mut view = options.open(&*place, ViewStart::Earliest).await?;
            while let Some(viewed) = view.try_next().await? {
                let letter = restore(&viewed.received).filter(|(_, why)| why.route == route);
                let Some((content, why)) = letter else {
                    continue;
                };
                let shown = MessageLine::of(&content, &states.decoder);
                if options.wants(&shown) {
                    let (state, cause) = (ledger.state(viewed.at), cause(&why));
                    let said = format!("state={state} {cause} letter={}", content.position);
                    let reasons = reasons(&why, Some(state));
                    let line = line(viewed.time_ms, &content, &reasons, &shown);
                    let letter = (said, line.into_bytes());
                    states.letters.insert(why.source, letter);
                }
            }
            Ok(states)
        })
    }

    pub(super) fn of(&mut self, received: &Received, at: PartitionOffset) -> String {
        if let Some((said, _)) = self.letters.remove(&received.position.to_string()) {
            return said;
        }
        let next = self.committed.get(&at.partition);
        if next.is_none_or(|next| at.offset >= *next) {
            return self.waits(received);
        }
        let state = match self.is_wanted(received) {
            false => "filtered",
            true if self.discards => "delivered-or-discarded",
            true => "delivered",
        };
        format!("state={state}")
    }

    fn waits(&mut self, received: &Received) -> String {
        let position = received.position.to_string();
        let waiting = match &self.waiting {
            Ok(waiting) => waiting,
            Err(why) => {
                say(format_args!("without attempts: {why}"));
                self.waiting = Ok(Vec::new());
                return "state=waiting".to_owned();
            }
        };
        let Some(found) = waiting.iter().find(|it| it.position == position) else {
            return "state=waiting".to_owned();
        };
        let answer = found.last_answer.as_deref().unwrap_or("-");
        let next = moment(found.next_attempt.map(Timestamp::as_millisecond));
        let attempts = found.attempts;
        format!(
            "state=waiting attempts={attempts} last-answer={} next-attempt={next}",
            Text(answer)
        )
    }

    /// Lines of the dead letters whose message was not shown.
    pub(super) fn rest(self) -> impl Iterator<Item = Vec<u8>> {
        self.letters.into_values().map(|(_, line)| line)
    }

    fn is_wanted(&self, received: &Received) -> bool {
        match (&self.filter, received.decode(&self.decoder)) {
            (Some(filter), Ok(Decoded::Structured(event) | Decoded::Binary(event))) => {
                filter.matches(&event)
            }
            _ => true,
        }
    }
}
