//! One `[[route]]`: its tables read, and the rules between them.

use std::sync::Arc;

use super::RoutePlan;
use super::connections::{Connections, Role};
use crate::config::Table;
use crate::config::route::{
    KeySetting, ModeSetting, OnErrorSetting, OrderSetting, RetrySettings, RouteSettings,
    SinkSettings,
};
use crate::delivery::window::Capacity;
use crate::route::filter::Filter;
use crate::route::lanes::ParcelLimits;
use crate::route::retry::RetryPolicy;
use crate::route::steps::OnError;
use crate::route::target::{Order, RecordKey, WriteMode};
use crate::transport::registry::{OpenSink, OpenSource};

/// Most events and bytes of a batch, where a route says nothing.
const BATCH: ParcelLimits = ParcelLimits {
    events: 100,
    bytes: 1 << 20,
};

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
    on_error: Option<OnError>,
}

/// What the common keys of a sink mean.
struct Written {
    mode: WriteMode,
    record_key: RecordKey,
    forward_headers: Vec<Box<str>>,
    parcel: ParcelLimits,
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
    /// The route, if every part of it is sound.
    pub(super) fn complete(self) -> Option<RoutePlan> {
        let (settings, written) = (self.settings?, self.written?);
        Some(RoutePlan {
            name: Arc::from(settings.name),
            source: self.source?,
            sink: self.sink?,
            dead_letter: self.dead_letter,
            on_error: self.on_error?,
            order: match settings.order {
                None | Some(OrderSetting::Key) => Order::Key,
                Some(OrderSetting::Partition) => Order::Partition,
                Some(OrderSetting::None) => Order::None,
            },
            filter: self.filter?,
            retry: self.retry?,
            window: Capacity {
                events: settings.window_events.get(),
                bytes: settings.window_bytes.get(),
            },
            in_flight_max: settings.in_flight.get(),
            mode: written.mode,
            record_key: written.record_key,
            forward_headers: written.forward_headers,
            parcel: written.parcel,
        })
    }
}

/// What becomes of events that can never be delivered: said in one place, and only where it means
/// something.
fn on_error(
    table: &Table<'_>,
    settings: Option<&RouteSettings>,
    has_waiting_sender: Option<bool>,
) -> Option<OnError> {
    let has_dead_letter = table.has("dead_letter");
    let said = settings?.on_error;
    if has_waiting_sender? {
        let remedy = "remove it: the sender hears that the event was refused, and keeps it";
        for (key, is_set) in [
            ("on_error", said.is_some()),
            ("dead_letter", has_dead_letter),
            ("order", settings?.order.is_some()),
        ] {
            if is_set {
                let remedy = match key {
                    "order" => "remove it: the sender keeps the order by waiting for each answer",
                    _ => remedy,
                };
                table.report(
                    key,
                    "has no meaning where a sender waits for the answer",
                    remedy,
                );
            }
        }
        return Some(OnError::Hold);
    }
    match (said, has_dead_letter) {
        (None | Some(OnErrorSetting::DeadLetter), true) => Some(OnError::DeadLetter),
        (Some(OnErrorSetting::Discard), false) => Some(OnError::Discard),
        (Some(OnErrorSetting::Hold), false) => Some(OnError::Hold),
        (Some(_), true) => {
            table.report(
                "on_error",
                "contradicts [route.dead_letter]",
                "keep one of the two",
            );
            None
        }
        (Some(OnErrorSetting::DeadLetter), false) => {
            table.report(
                "dead_letter",
                "is missing",
                "add a table [route.dead_letter]",
            );
            None
        }
        (None, false) => {
            table.report(
                "on_error",
                "is missing: what becomes of an event that can never be delivered?",
                "add [route.dead_letter], or write on_error = \"hold\" or \"discard\"",
            );
            None
        }
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

fn retry(table: &Table<'_>, has_waiting_sender: Option<bool>) -> Option<RetryPolicy> {
    let Some(part) = table.table("retry") else {
        return Some(RetryPolicy::default());
    };
    let settings: Option<RetrySettings> = part.read();
    let settings = settings.inspect(|settings| check_retry(&part, settings, has_waiting_sender));
    part.finish();
    let settings = settings?;
    let default = RetryPolicy::default();
    let or = |interval: Option<crate::interval::Interval>, other| interval.map_or(other, |it| it.0);
    Some(RetryPolicy {
        initial: or(settings.initial, default.initial),
        maximum: or(settings.maximum, default.maximum),
        retry_after_max: or(settings.retry_after_max, default.retry_after_max),
        attempts_max: settings.attempts_max.map(std::num::NonZeroU32::get),
        age_max: settings.age_max.map(|interval| interval.0),
    })
}

fn check_retry(part: &Table<'_>, settings: &RetrySettings, has_waiting_sender: Option<bool>) {
    let default = RetryPolicy::default();
    let initial = settings.initial.map_or(default.initial, |it| it.0);
    let maximum = settings.maximum.map_or(default.maximum, |it| it.0);
    if initial.is_zero() {
        part.report(
            "initial",
            "would retry without any wait",
            "give a span above 0",
        );
    }
    if maximum < initial {
        let key = if settings.maximum.is_some() {
            "maximum"
        } else {
            "initial"
        };
        part.report(
            key,
            format!("the first wait, {initial:?}, is longer than the longest, {maximum:?}"),
            "make `initial` at most `maximum`",
        );
    }
    if has_waiting_sender == Some(true) {
        for (key, is_set) in [
            ("attempts_max", settings.attempts_max.is_some()),
            ("age_max", settings.age_max.is_some()),
        ] {
            if is_set {
                let what = "has no meaning where a sender waits for the answer";
                part.report(
                    key,
                    what,
                    "remove it: the deadline of the request ends the attempts",
                );
            }
        }
    }
}

fn written(part: &Table<'_>, sink: &dyn OpenSink, common: SinkSettings) -> Written {
    let binding = sink.binding();
    let mode = match common.mode {
        None if sink.has_record_key() => WriteMode::Binary,
        None | Some(ModeSetting::Structured) => WriteMode::Structured,
        Some(ModeSetting::Binary) => WriteMode::Binary,
        Some(ModeSetting::Batched) => WriteMode::Batched,
        Some(ModeSetting::AsReceived) => WriteMode::AsReceived,
    };
    let is_batched = mode == WriteMode::Batched;
    if is_batched && !binding.has_batch {
        let what = format!("the {} protocol has no batched mode", binding.protocol);
        part.report("mode", what, "use \"structured\" or \"binary\"");
    }
    for (key, is_set) in [
        ("batch_events", common.batch_events.is_some()),
        ("batch_bytes", common.batch_bytes.is_some()),
    ] {
        if is_set && !is_batched {
            part.report(
                key,
                "has no meaning without mode = \"batched\"",
                "remove it, or set the mode",
            );
        }
    }
    if common.key.is_some() && !sink.has_record_key() {
        part.report(
            "key",
            "has no meaning here: only Kafka records have a key",
            "remove it",
        );
    }
    if is_batched && !common.forward_headers.is_empty() {
        part.report(
            "forward_headers",
            "has no meaning in a batch: its events have no headers",
            "remove it",
        );
    }
    for name in &common.forward_headers {
        let lower = name.to_ascii_lowercase();
        if lower.starts_with(binding.prefix) || lower == "content-type" || lower == "content-length"
        {
            let what = format!("{name:?} is not a foreign header: the event writes it");
            part.report("forward_headers", what, "remove that name");
        } else if http::HeaderName::from_bytes(lower.as_bytes()).is_err() {
            let what = format!("{name:?} is not a header name");
            part.report("forward_headers", what, "correct that name");
        }
    }
    Written {
        mode,
        record_key: match common.key {
            None | Some(KeySetting::Source) => RecordKey::Source,
            Some(KeySetting::PartitionKey) => RecordKey::Attribute("partitionkey".into()),
            Some(KeySetting::Subject) => RecordKey::Attribute("subject".into()),
            Some(KeySetting::None) => RecordKey::None,
        },
        forward_headers: common
            .forward_headers
            .iter()
            .map(|name| name.to_ascii_lowercase().into())
            .collect(),
        parcel: if is_batched {
            ParcelLimits {
                events: common
                    .batch_events
                    .map_or(BATCH.events, std::num::NonZeroUsize::get),
                bytes: common
                    .batch_bytes
                    .map_or(BATCH.bytes, std::num::NonZeroUsize::get),
            }
        } else {
            ParcelLimits {
                events: 1,
                bytes: usize::MAX,
            }
        },
    }
}
