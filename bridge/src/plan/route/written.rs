//! The keys of `[route.sink]` that every transport shares: how an event is written.

use std::num::NonZeroUsize;

use cloudevents_nl_codec::{HTTP, KAFKA};

use crate::config::Table;
use crate::config::route::{KeySetting, ModeSetting, SinkSettings};
use crate::route::in_flight::BatchLimits;
use crate::route::target::{RecordKey, WriteMode};
use crate::transport::registry::OpenSink;

/// Most events and bytes of a batch, where a route says nothing.
const BATCH: BatchLimits = BatchLimits {
    events: 100,
    bytes: 1 << 20,
};

/// What the common keys of a sink mean.
pub(super) struct Written {
    pub(super) mode: WriteMode,
    pub(super) record_key: RecordKey,
    pub(super) forward_headers: Vec<Box<str>>,
    pub(super) batch: BatchLimits,
}

pub(super) fn written(part: &Table<'_>, sink: &dyn OpenSink, common: SinkSettings) -> Written {
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
    check_forwarded(part, sink, &common.forward_headers);
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
        batch: if is_batched {
            BatchLimits {
                events: common.batch_events.map_or(BATCH.events, NonZeroUsize::get),
                bytes: common.batch_bytes.map_or(BATCH.bytes, NonZeroUsize::get),
            }
        } else {
            BatchLimits {
                events: 1,
                bytes: usize::MAX,
            }
        },
    }
}

/// Headers that go along are those that neither the event nor the sink writes.
fn check_forwarded(part: &Table<'_>, sink: &dyn OpenSink, names: &[String]) {
    for name in names {
        let lower = name.to_ascii_lowercase();
        // Of every protocol: what another bridge reads as an attribute must be one.
        let is_attribute = [HTTP.prefix, KAFKA.prefix]
            .iter()
            .any(|prefix| lower.starts_with(prefix));
        let is_framing = matches!(lower.as_str(), "content-type" | "content-length");
        if is_attribute || is_framing {
            let what = format!("{name:?} is not a foreign header: the event writes it");
            part.report("forward_headers", what, "remove that name");
        } else if http::HeaderName::from_bytes(lower.as_bytes()).is_err() {
            let what = format!("{name:?} is not a header name");
            part.report("forward_headers", what, "correct that name");
        } else if sink.refuses_header(&lower) {
            let what = format!("{name:?} is not a foreign header: the sink writes it");
            part.report("forward_headers", what, "remove that name");
        }
    }
}
