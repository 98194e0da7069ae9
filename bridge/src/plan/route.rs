//! One `[[route]]`: its tables read, and the rules between them.

mod on_error;
mod outcomes;
mod retry;
mod written;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::RoutePlan;
use super::connections::{Connections, Role};
use crate::config::Table;
use crate::config::route::{OrderSetting, RouteSettings, SinkSettings};
use crate::delivery::window::Capacity;
use crate::outcome::Next;
use crate::route::filter::Filter;
use crate::route::retry::RetryPolicy;
use crate::route::steps::OnError;
use crate::route::target::Order;
use crate::transport::registry::{OpenSink, OpenSource};
use on_error::on_error;
use outcomes::outcomes;
use retry::retry;
use written::{Written, written};

/// What could be read of a route; parts at fault are `None` and reported.
pub(super) struct Draft {
    pub(super) name: Option<Arc<str>>,
    pub(super) source: Option<Box<dyn OpenSource>>,
    pub(super) sink: Option<Box<dyn OpenSink>>,
    pub(super) dead_letter: Option<Box<dyn OpenSink>>,
    settings: Option<RouteSettings>,
    written: Option<Written>,
    /// `Some(None)` is a route that wants everything.
    filter: Option<Option<Filter>>,
    retry: Option<RetryPolicy>,
    outcomes: Option<BTreeMap<u16, Next>>,
    on_error: Option<OnError>,
}

pub(super) fn prove(table: &Table<'_>, connections: &Connections<'_>) -> Draft {
    let settings: Option<RouteSettings> = table.read();
    let required = |key| {
        let part = table.table(key);
        if part.is_none() && !table.has(key) {
            table.report(key, "is missing", format!("add a table [route.{key}]"));
        }
        part
    };
    let source = required("source").and_then(|part| {
        let source = connections.source(&part);
        part.finish();
        source
    });
    let (sink, written) = match required("sink") {
        None => (None, None),
        Some(part) => {
            let sink = connections.sink(&part, Role::Sink);
            let common = part.read::<SinkSettings>();
            let written = match (&sink, common) {
                (Some(sink), Some(common)) => Some(written(&part, sink.as_ref(), common)),
                _ => None,
            };
            part.finish();
            (sink, written)
        }
    };
    let dead_letter = table.table("dead_letter").and_then(|part| {
        let sink = connections.sink(&part, Role::DeadLetter);
        part.finish();
        sink
    });
    let has_waiting_sender = source.as_ref().map(|source| source.has_waiting_sender());
    let draft = Draft {
        name: table.text("name").map(Into::into),
        on_error: on_error(table, settings.as_ref(), has_waiting_sender),
        filter: filter(table),
        retry: retry(table, has_waiting_sender),
        outcomes: outcomes(table, sink.as_deref()),
        source,
        sink,
        dead_letter,
        settings,
        written,
    };
    table.finish();
    draft
}

impl Draft {
    /// Whether events may come back to it.
    pub(super) fn allows_ring(&self) -> bool {
        self.settings.as_ref().is_some_and(|own| own.allow_ring)
    }

    /// The route, if every part of it is sound.
    pub(super) fn complete(self) -> Option<RoutePlan> {
        let (settings, written, sink) = (self.settings?, self.written?, self.sink?);
        Some(RoutePlan {
            name: Arc::from(settings.name),
            source: self.source?,
            in_flight_max: settings
                .in_flight
                .map_or_else(|| sink.in_flight_default(), NonZeroUsize::get),
            sink,
            dead_letter: self.dead_letter,
            on_error: self.on_error?,
            order: match settings.order {
                None | Some(OrderSetting::Key) => Order::Key,
                Some(OrderSetting::Partition) => Order::Partition,
                Some(OrderSetting::None) => Order::None,
            },
            filter: self.filter?,
            retry: self.retry?,
            outcomes: self.outcomes?,
            window: Capacity {
                events: settings.window_events.get(),
                bytes: settings.window_bytes.get(),
            },
            mode: written.mode,
            record_key: written.record_key,
            forward_headers: written.forward_headers,
            batch: written.batch,
            warnings: Vec::new(),
        })
    }
}

fn filter(table: &Table<'_>) -> Option<Option<Filter>> {
    #[derive(serde::Deserialize)]
    struct Holder {
        filter: Option<Filter>,
    }
    let Holder { filter } = table.read()?;
    if let Some(fault) = filter.as_ref().and_then(Filter::fault) {
        table.report("filter", fault, "correct the condition, or remove it");
    }
    Some(filter)
}
