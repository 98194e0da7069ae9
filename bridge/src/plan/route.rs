//! One `[[route]]`: its tables read, and the rules between them.

mod on_error;
mod retry;
mod written;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use super::RoutePlan;
use super::connections::{Connections, Role};
use crate::config::{Reported, Table, Words};
use crate::delivery::window::Capacity;
use crate::route::filter::Filter;
use crate::route::retry::RetryPolicy;
use crate::route::steps::OnError;
use crate::route::target::Order;
use crate::transport::contract::{OpenSink, OpenSource};
use on_error::on_error;
pub(super) use retry::retry;
pub(super) use written::{Written, written};

/// The keys of `[[route]]` itself.
pub(super) struct Own {
    name: Result<String, Reported>,
    order: Result<Order, Reported>,
    on_error: Result<Option<OnError>, Reported>,
    in_flight: Result<Option<NonZeroUsize>, Reported>,
    window_events: Result<NonZeroUsize, Reported>,
    window_bytes: Result<NonZeroUsize, Reported>,
    filter: Result<Option<Filter>, Reported>,
    allow_ring: Result<bool, Reported>,
}

impl Own {
    pub(super) fn read(table: &Table<'_>) -> Self {
        let meaning = "what logs, metrics and dead letters call it; unlike every other's";
        let name = table.key("name", meaning).required();
        let meaning = "`key` (record key, else `partitionkey`, else `subject`), `partition` or \
                       `none`: later events wait for earlier ones";
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
        let filter = table.key("filter", meaning).optional("all");
        let meaning = "`true` lets the route be in a ring: what it writes, as event or dead \
                       letter, comes back through it or through other routes of the file. Without \
                       it in one route of a ring the settings are refused; that route is to end \
                       the ring, by its filter for example";
        let allow_ring = table.key("allow_ring", meaning).or("false");
        if let Ok(Some(fault)) = filter
            .as_ref()
            .map(|it: &Option<Filter>| it.as_ref()?.fault())
        {
            table.report(&["filter"], fault, "correct the condition, or remove it");
        }
        Self {
            name,
            order,
            on_error,
            in_flight,
            window_events,
            window_bytes,
            filter,
            allow_ring,
        }
    }
}

impl Words for Order {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("key", Self::Key),
        ("partition", Self::Partition),
        ("none", Self::None),
    ];
}

/// What could be read of a route; what is wrong with the other parts is reported.
pub(super) struct Draft {
    own: Own,
    pub(super) source: Result<Box<dyn OpenSource>, Reported>,
    pub(super) sink: Result<Box<dyn OpenSink>, Reported>,
    pub(super) dead_letter: Result<Option<Box<dyn OpenSink>>, Reported>,
    written: Result<Written, Reported>,
    retry: Result<RetryPolicy, Reported>,
    on_error: Result<OnError, Reported>,
}

impl Draft {
    pub(super) fn read(table: &Table<'_>, connections: &Connections<'_>) -> Self {
        let own = Own::read(table);
        let source = required(table, "source", |part| connections.source(part));
        let mut written_as = Err(Reported);
        let sink = required(table, "sink", |part| {
            let sink = connections.sink(part, Role::Sink);
            written_as = written(part, sink.as_deref());
            sink
        });
        let dead_letter = match table.has("dead_letter") {
            true => {
                let read = |part: &Table<'_>| connections.sink(part, Role::DeadLetter).map(Some);
                table.section("dead_letter", read)
            }
            false => Ok(None),
        };
        table.know("dead_letter");
        let has_waiting_sender = source.as_ref().map(|source| source.has_waiting_sender());
        let has_waiting_sender = has_waiting_sender.map_err(|&reported| reported);
        let draft = Self {
            on_error: on_error(table, own.on_error, has_waiting_sender),
            retry: table.section("retry", |part| retry(part, has_waiting_sender)),
            own,
            source,
            sink,
            dead_letter,
            written: written_as,
        };
        table.finish();
        draft
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.own.name.as_deref().ok()
    }

    /// Whether events may come back to it.
    pub(super) fn allows_ring(&self) -> bool {
        self.own.allow_ring == Ok(true)
    }

    /// The route, if every part of it is sound.
    pub(super) fn complete(self, shutdown_deadline: Duration) -> Result<RoutePlan, Reported> {
        let (own, written) = (self.own, self.written?);
        let (source, sink) = (self.source?, self.sink?);
        Ok(RoutePlan {
            name: Arc::from(own.name?),
            in_flight_max: own
                .in_flight?
                .map_or_else(|| sink.in_flight_default(), NonZeroUsize::get),
            dead_letter: self.dead_letter?,
            on_error: self.on_error?,
            order: own.order?,
            filter: own.filter?,
            retry: self.retry?,
            window: Capacity {
                events: own.window_events?.get(),
                bytes: own.window_bytes?.get(),
            },
            mode: written.mode,
            record_key: written.record_key,
            forward_headers: written.forward_headers,
            parcel: written.parcel,
            warnings: warnings(source.as_ref(), sink.as_ref(), shutdown_deadline),
            source,
            sink,
        })
    }
}

fn required<T>(
    table: &Table<'_>,
    key: &'static str,
    read: impl FnOnce(&Table<'_>) -> Result<T, Reported>,
) -> Result<T, Reported> {
    if table.has(key) {
        return table.section(key, |part| read(part));
    }
    Err(table.report(&[key], "is missing", format!("add a table [route.{key}]")))
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
