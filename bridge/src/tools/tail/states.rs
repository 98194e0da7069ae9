//! What became of the events of a route that have one id, and what the running bridge says of those that wait.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

use cloudevents_nl_codec::{Decoded, Decoder};
use futures_util::TryStreamExt;
use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::super::shown::{Cause, MessageLine, Text, line, moment, reasons};
use super::{TailOptions, ToolError, dead_letters, ledger};
use crate::admin::client::get;
use crate::admin::overview::{WaitingEvent, WaitingEvents};
use crate::config::Document;
use crate::delivery::Received;
use crate::plan::look;
use crate::route::dead_letter::restore;
use crate::route::filter::Filter;
use crate::transport::contract::OpenSource;
use crate::transport::registry::TRANSPORTS;
use crate::transport::view::{OpenView, PartitionOffset, ViewError, ViewStart};

pub(super) struct EventStates<'o> {
    options: &'o TailOptions,
    route: String,
    source: Arc<dyn OpenSource>,
    dead_letters: Option<Box<dyn OpenView>>,
    filter: Option<Filter>,
    /// An event that can never be delivered is dropped.
    discards: bool,
    decoder: Decoder,
    /// Per partition the first position that is not settled.
    committed: BTreeMap<i32, u64>,
    /// What the running bridge says of those that wait, or why it does not.
    admin: SocketAddr,
    waiting: Result<Vec<WaitingEvent>, String>,
    /// By the position that the event was received at: what is said of its dead letter, and its own line.
    letters: BTreeMap<String, (String, Vec<u8>)>,
}

impl<'o> EventStates<'o> {
    pub(super) fn prepare(
        options: &'o TailOptions,
        document: &Document,
        route: &str,
        decoder: Decoder,
    ) -> Result<Self, ToolError> {
        let sink = look::dead_letter(document, TRANSPORTS, route)?;
        let view = sink.map(|sink| dead_letters(route, Some(&*sink)));
        let (filter, discards) = look::losses(document, route)?;
        Ok(Self {
            options,
            route: route.to_owned(),
            source: look::source(document, TRANSPORTS, route)?,
            dead_letters: view.transpose()?,
            filter,
            discards,
            decoder,
            committed: BTreeMap::new(),
            admin: look::admin(document)?,
            waiting: Ok(Vec::new()),
            letters: BTreeMap::new(),
        })
    }

    pub(super) async fn read(mut self) -> Result<Self, ViewError> {
        // First: what is committed later may be a dead letter by then.
        self.committed = self.source.committed().await?;
        let id = self.options.id.as_deref().unwrap_or_default();
        let [route, id] = [&self.route, id].map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC));
        let path = format!("/v1/routes/{route}/waiting-events?id={id}");
        let waiting = get(self.admin, &path).await;
        self.waiting = waiting.map(|WaitingEvents { events, .. }| events);
        let Some(place) = &self.dead_letters else {
            return Ok(self);
        };
        let ledger = ledger(&**place, &self.route).await?;
        let mut view = self.options.open(&**place, ViewStart::Earliest).await?;
        while let Some(viewed) = view.try_next().await? {
            let letter = restore(&viewed.received).filter(|(_, why)| why.route == self.route);
            let Some((content, why)) = letter else {
                continue;
            };
            let shown = MessageLine::of(&content, &self.decoder);
            if self.options.wants(&shown) {
                let (state, cause) = (ledger.state(viewed.at), Cause(&why));
                let said = format!("state={state} {cause} letter={}", content.position);
                let reasons = reasons(&why, Some(state));
                let line = line(viewed.time_ms, &content, &reasons, &shown);
                self.letters.insert(why.source, (said, line.into_bytes()));
            }
        }
        Ok(self)
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

    /// With what the running bridge says of it.
    fn waits(&mut self, received: &Received) -> String {
        let position = received.position.to_string();
        let waiting = match &self.waiting {
            Ok(waiting) => waiting,
            Err(why) => {
                eprintln!("cenl-bridge: without attempts: {why}");
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
