//! The keys of `[route.sink]` that every transport shares: how an event is written.

use std::num::NonZeroUsize;

use cloudevents_nl_codec::{HTTP, KAFKA};

use crate::config::{Reported, Table, Words};
use crate::delivery::window::Capacity;
use crate::route::target::{RecordKey, Target, WriteMode};
use crate::transport::contract::OpenSink;

impl Words for WriteMode {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("structured", Self::Structured),
        ("binary", Self::Binary),
        ("batched", Self::Batched),
        ("as-received", Self::AsReceived),
    ];
}

impl Words for RecordKey {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("source", Self::Source),
        ("partitionkey", Self::Attribute("partitionkey")),
        ("subject", Self::Attribute("subject")),
        ("none", Self::None),
    ];
}

/// How events are written, and how many together.
pub(in crate::plan) fn encoding(
    table: &Table<'_>,
    sink: Result<&dyn OpenSink, &Reported>,
) -> Result<(Target, Capacity), Reported> {
    let meaning = "`structured`, `binary`, `batched` (webhooks) or `as-received`";
    let mode = table.key("mode", meaning);
    let mode = mode.optional("`binary` to Kafka, `structured` to webhooks and NATS");
    let meaning = "the record key in Kafka: `source` (that of the source record, else \
                   `partitionkey`), `partitionkey`, `subject` or `none`";
    let key = table.key("key", meaning).or("source");
    let meaning = "names of headers that are not the event's and go along; those that the event or \
                   the sink writes are refused, and to NATS those that begin with `Nats-`: they \
                   are orders to the server";
    let forward_headers = table.key::<Vec<String>>("forward_headers", meaning);
    let forward_headers = forward_headers.optional("none");
    let meaning = "most events of a batch, with `mode = \"batched\"`";
    let batch_events = table.key::<NonZeroUsize>("batch_events", meaning).or("100");
    let meaning = "most bytes of a batch, with `mode = \"batched\"`; a single event may be larger";
    let batch_bytes = table.key::<NonZeroUsize>("batch_bytes", meaning);
    let batch_bytes = batch_bytes.or("1048576");
    let (sink, mode) = (sink.map_err(|&reported| reported)?, mode?);
    let mode = mode.unwrap_or_else(|| match sink.has_record_key() {
        true => WriteMode::Binary,
        false => WriteMode::Structured,
    });
    let is_batched = mode == WriteMode::Batched;
    check_batch(table, sink, is_batched);
    if !sink.has_record_key() {
        let what = "has no meaning here: only Kafka records have a key";
        table.refuse(&["key"], what, "remove it");
    }
    let names = forward_headers?.unwrap_or_default();
    check_forwarded(table, sink, &names);
    let lower = names.iter().map(|name| name.to_ascii_lowercase().into());
    let batch = match is_batched {
        true => Capacity {
            events: batch_events?.get(),
            bytes: batch_bytes?.get(),
        },
        false => Capacity::SINGLE,
    };
    let target = Target {
        binding: sink.binding(),
        mode,
        record_key: key?,
        forward_headers: lower.collect(),
        message_id_scope: sink.message_id_scope().map(Into::into),
    };
    Ok((target, batch))
}

/// A batch needs a protocol that has one, and its events have no headers.
fn check_batch(table: &Table<'_>, sink: &dyn OpenSink, is_batched: bool) {
    let binding = sink.binding();
    if is_batched && !binding.has_batch {
        let what = format!("the {} protocol has no batched mode", binding.protocol);
        table.report(&["mode"], what, "use \"structured\" or \"binary\"");
    }
    if is_batched {
        let what = "has no meaning in a batch: its events have no headers";
        table.refuse(&["forward_headers"], what, "remove it");
    } else {
        let what = "has no meaning without mode = \"batched\"";
        let remedy = "remove it, or set the mode";
        table.refuse(&["batch_events", "batch_bytes"], what, remedy);
    }
}

/// Foreign headers are those that neither the event nor the sink writes.
fn check_forwarded(table: &Table<'_>, sink: &dyn OpenSink, names: &[String]) {
    for name in names {
        let lower = name.to_ascii_lowercase();
        // Of every protocol: another bridge would read it as an attribute.
        let is_attribute = [HTTP.prefix, KAFKA.prefix]
            .iter()
            .any(|prefix| lower.starts_with(prefix));
        let is_framing = matches!(lower.as_str(), "content-type" | "content-length");
        let (what, remedy) = if is_attribute || is_framing {
            ("a foreign header: the event writes it", "remove that name")
        } else if http::HeaderName::from_bytes(lower.as_bytes()).is_err() {
            ("a header name", "correct that name")
        } else if sink.refuses_header(&lower) {
            ("a foreign header: the sink writes it", "remove that name")
        } else {
            continue;
        };
        let what = format!("{name:?} is not {what}");
        table.report(&["forward_headers"], what, remedy);
    }
}
