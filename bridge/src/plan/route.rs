//! One `[[route]]`: its tables read, and the rules between them.

mod on_error;
mod outcomes;
mod retry;
mod written;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use super::RoutePlan;
use super::connections::{Connections, Role};
use super::filter::has_a_meaning;
use crate::config::{Reported, Table, Words};
use crate::delivery::window::Capacity;
use crate::outcome::Next;
use crate::route::filter::Filter;
use crate::route::retry::RetryPolicy;
use crate::route::steps::OnError;
use crate::route::target::Order;
use crate::transport::contract::{OpenSink, OpenSource};
use on_error::resolved;
use outcomes::outcomes;
pub(super) use retry::retry;
pub(super) use written::{Written, written};

impl Words for Order {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("key", Self::Key),
        ("partition", Self::Partition),
        ("none", Self::None),
    ];
}

/// What could be read of a route; what is wrong with the other parts is reported.
pub(super) struct Draft {
    pub(super) name: Result<String, Reported>,
    pub(super) source: Result<Box<dyn OpenSource>, Reported>,
    pub(super) sink: Result<Box<dyn OpenSink>, Reported>,
    pub(super) dead_letter: Result<Option<Box<dyn OpenSink>>, Reported>,
    order: Result<Order, Reported>,
    on_error: Result<OnError, Reported>,
    in_flight: Result<Option<NonZeroUsize>, Reported>,
    window_events: Result<NonZeroUsize, Reported>,
    window_bytes: Result<NonZeroUsize, Reported>,
    filter: Result<Option<Filter>, Reported>,
    allow_ring: Result<bool, Reported>,
    written: Result<Written, Reported>,
    retry: Result<RetryPolicy, Reported>,
    outcomes: Result<BTreeMap<u16, Next>, Reported>,
}

impl Draft {
    pub(super) fn read(table: &Table<'_>, connections: &Connections<'_>) -> Self {
        let meaning = "what logs, metrics and dead letters call it; unlike every other's";
        let name = table.key("name", meaning).required();
        let meaning = "`key` (record key, else `partitionkey`, else `subject`), `partition` or \
                       `none`: later events wait for earlier ones. With `partition` an event that \
                       fails stops its whole partition";
        let order = table.key("order", meaning).or("key");
        let meaning = "what becomes of an event that can never be delivered: `dead-letter` (needs \
                       the table), `discard` (dropped and counted) or `hold` (it waits for an \
                       operator, and its key with it)";
        let on_error = table
            .key("on_error", meaning)
            .optional("`dead-letter` where the table is there, else required");
        let meaning = "most exchanges under way to the sink";
        let in_flight = table
            .key("in_flight", meaning)
            .optional("64 to webhooks, 1000 to Kafka and NATS");
        let meaning = "most unsettled events of one source partition; when it is full, that \
                       partition is not read";
        let window_events = table.key("window_events", meaning).or("1000");
        let meaning = "most unsettled bytes of one source partition, those written for the sink \
                       included";
        let window_bytes = table.key("window_bytes", meaning).or("8388608");
        let meaning = "which events it wants, see below";
        let filter = table
            .key("filter", meaning)
            .must(has_a_meaning)
            .optional("all");
        let meaning = "`true` lets the route be in a ring: what it writes, as event or dead \
                       letter, comes back through it or through other routes of the file. Without \
                       it in one route of a ring the settings are refused; that route is to end \
                       the ring, by its filter for example";
        let allow_ring = table.key("allow_ring", meaning).or("false");
        let (source, sink, written) = ends(table, connections);
        let dead_letter = dead_letter(table, connections);
        let has_waiting_sender = match &source {
            Ok(source) => Ok(source.has_waiting_sender()),
            Err(reported) => Err(*reported),
        };
        let draft = Self {
            on_error: resolved(table, on_error, has_waiting_sender),
            retry: table.section("retry", |part| retry(part, has_waiting_sender)),
            outcomes: outcomes(table, sink.as_deref()),
            name,
            source,
            sink,
            dead_letter,
            order,
            in_flight,
            window_events,
            window_bytes,
            filter,
            allow_ring,
            written,
        };
        table.finish();
        draft
    }

    /// Whether events may come back to it.
    pub(super) fn allows_ring(&self) -> bool {
        self.allow_ring == Ok(true)
    }

    /// The route, if every part of it is sound.
    pub(super) fn complete(self, shutdown_deadline: Duration) -> Result<RoutePlan, Reported> {
        let written = self.written?;
        let (source, sink) = (self.source?, self.sink?);
        Ok(RoutePlan {
            name: Arc::from(self.name?),
            in_flight_max: self
                .in_flight?
                .map_or_else(|| sink.in_flight_default(), NonZeroUsize::get),
            dead_letter: self.dead_letter?,
            on_error: self.on_error?,
            order: self.order?,
            filter: self.filter?,
            retry: self.retry?,
            outcomes: self.outcomes?,
            window: Capacity {
                events: self.window_events?.get(),
                bytes: self.window_bytes?.get(),
            },
            mode: written.mode,
            record_key: written.record_key,
            forward_headers: written.forward_headers,
            batch: written.batch,
            warnings: warnings(source.as_ref(), sink.as_ref(), shutdown_deadline),
            source,
            sink,
        })
    }
}

type Ends = (
    Result<Box<dyn OpenSource>, Reported>,
    Result<Box<dyn OpenSink>, Reported>,
    Result<Written, Reported>,
);

/// Where events come from, where they go, and how they are written.
fn ends(table: &Table<'_>, connections: &Connections<'_>) -> Ends {
    for key in ["source", "sink"] {
        if !table.has(key) {
            table.report(&[key], "is missing", format!("add a table [route.{key}]"));
        }
    }
    let part = |key| table.table(key).ok_or(Reported);
    let source = part("source").and_then(|part| {
        let source = connections.source(&part);
        part.finish();
        source
    });
    let mut written_as = Err(Reported);
    let sink = part("sink").and_then(|part| {
        let sink = connections.sink(&part, Role::Sink);
        written_as = written(&part, sink.as_deref());
        part.finish();
        sink
    });
    (source, sink, written_as)
}

fn dead_letter(
    table: &Table<'_>,
    connections: &Connections<'_>,
) -> Result<Option<Box<dyn OpenSink>>, Reported> {
    if !table.has("dead_letter") {
        table.know("dead_letter");
        return Ok(None);
    }
    let read = |part: &Table<'_>| connections.sink(part, Role::DeadLetter);
    table.section("dead_letter", read).map(Some)
}

/// Where settings go badly together.
fn warnings(
    source: &dyn OpenSource,
    sink: &dyn OpenSink,
    shutdown_deadline: Duration,
) -> Vec<String> {
    let exchange = sink.exchange_timeout().unwrap_or_default();
    let waits = [
        ("drain", source.drain()),
        ("[limits] shutdown_deadline", Some(shutdown_deadline)),
    ];
    let short = waits.into_iter().filter_map(|(key, wait)| {
        let wait = wait.filter(|wait| *wait < exchange)?;
        Some(format!(
            "{key} = {wait:?} is below exchange_timeout = {exchange:?}: what the receiver takes \
             later than that is sent again: make one longer, or the other shorter"
        ))
    });
    short.collect()
}
