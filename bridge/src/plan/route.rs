//! One `[[route]]`.

mod check;
mod encoding;
mod failure;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use cloudevents_nl_codec::Decoder;

use super::RoutePlan;
use super::connections::Connections;
use super::filter::has_a_meaning;
use crate::config::{Fault, Reported, Table, Words};
use crate::delivery::window::Capacity;
use crate::route::steps::RouteConfig;
use crate::route::target::{Order, Target};
use crate::transport::contract::{OpenSink, OpenSource};
pub(super) use check::check;
pub(super) use encoding::encoding;
use failure::{DeadLetterSettings, on_error, outcomes};
pub(super) use failure::{dead_letters, retry};

impl Words for Order {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("key", Self::Key),
        ("partition", Self::Partition),
        ("none", Self::None),
    ];
}

/// What could be read of a route, for the rules between routes.
pub(super) struct Draft {
    pub(super) name: Result<String, Reported>,
    pub(super) source: Result<Arc<dyn OpenSource>, Reported>,
    pub(super) sink: Result<Arc<dyn OpenSink>, Reported>,
    pub(super) dead_letter: Result<Option<Arc<dyn OpenSink>>, Reported>,
    pub(super) allows_ring: bool,
    pub(super) plan: Result<RoutePlan, Reported>,
}

impl Draft {
    pub(super) fn read(
        table: &Table<'_>,
        connections: &Connections<'_>,
        decoder: &Result<Decoder, Reported>,
        shutdown_deadline: Option<Duration>,
    ) -> Self {
        // Forgets what was read for others.
        table.take_inputs();
        let missing = |key| {
            let remedy = format!("add a table [route.{key}]");
            table.report(&[key], "is missing", remedy)
        };
        let source = table.part("source", |part| connections.source(part));
        let source = source.unwrap_or_else(|| Err(missing("source")));
        let mut encoding_read = Err(Reported);
        let sink = table.part("sink", |part| {
            let sink = connections.sink(part);
            encoding_read = encoding(part, sink.as_deref());
            sink
        });
        let sink = sink.unwrap_or_else(|| Err(missing("sink")));
        let mut dead_letters_read = Ok(DeadLetterSettings::default());
        let dead_letter = table.part("dead_letter", |part| {
            dead_letters_read = dead_letters(part);
            connections.dead_letter(part)
        });
        let meaning = "what logs, metrics and dead letters call it, in 1 to 100 characters; unlike every other's";
        let mut draft = Self {
            name: table.key("name", meaning).must(fits_a_line).required(),
            source,
            sink,
            dead_letter: dead_letter.transpose(),
            allows_ring: false,
            plan: Err(Reported),
        };
        draft.plan = draft.plan(table, decoder, encoding_read, dead_letters_read);
        draft.warn(table, shutdown_deadline);
        let meaning = "`true` lets the route be in a ring: what it writes, as event or dead \
                       letter, comes back through it or through other routes of the file. Without \
                       it in one route of a ring the settings are refused; that route is to end \
                       the ring, by its filter for example";
        draft.allows_ring = table.key("allow_ring", meaning).or("false") == Ok(true);
        table.finish();
        draft
    }

    fn plan(
        &self,
        table: &Table<'_>,
        decoder: &Result<Decoder, Reported>,
        encoding: Result<(Target, Capacity), Reported>,
        dead_letters: Result<DeadLetterSettings, Reported>,
    ) -> Result<RoutePlan, Reported> {
        let meaning = "`key` (record key, else `partitionkey`, else `subject`), `partition` or \
                       `none`: later events wait for earlier ones. With `partition` an event that \
                       fails stops its whole partition";
        let order = table.key("order", meaning).or("key");
        let has_waiting_sender = self.source.as_ref().map(|it| it.has_waiting_sender());
        let has_waiting_sender = has_waiting_sender.map_err(|&reported| reported);
        let on_error = on_error(table, has_waiting_sender);
        let check = table.part("check", |part| check(part, has_waiting_sender, on_error));
        let meaning = "most exchanges under way to the sink";
        let in_flight = table.key("in_flight", meaning);
        let in_flight = in_flight.optional("64 to webhooks, 1000 to Kafka and NATS");
        let meaning = "most unsettled events of one source partition; when it is full, that \
                       partition is not read";
        let window_events = table.key::<NonZeroUsize>("window_events", meaning);
        let window_events = window_events.or("1000");
        let meaning = "most unsettled bytes of one source partition, those written for the sink \
                       included";
        let window_bytes = table.key::<NonZeroUsize>("window_bytes", meaning);
        let window_bytes = window_bytes.or("8388608");
        let meaning = "which events it wants, see below";
        let filter = table.key("filter", meaning).must(has_a_meaning);
        let filter = filter.optional("all");
        let retry = table.section("retry", |part| retry(part, has_waiting_sender));
        let outcomes = outcomes(table, self.sink.as_deref());
        let (source, sink, (target, batch)) = (self.source.clone()?, self.sink.clone()?, encoding?);
        let (dead_letter, dead_letters) = (self.dead_letter.clone()?, dead_letters?);
        let in_flight = in_flight?.map(NonZeroUsize::get);
        let address = |sink: &Arc<dyn OpenSink>| sink.address().to_string();
        let config = RouteConfig {
            name: self.name.clone()?.into(),
            logs_deliveries: false,
            traces: None,
            address: address(&sink),
            dead_letter_address: dead_letter.as_ref().map(address).unwrap_or_default(),
            decoder: decoder.clone()?,
            check: check.transpose()?,
            filter: filter?,
            target,
            order: order?,
            retry: retry?,
            outcomes: outcomes?,
            on_error: on_error?,
            stop_after: dead_letters.stop_after,
            in_flight_max: in_flight.unwrap_or_else(|| sink.in_flight_default()),
            batch,
        };
        Ok(RoutePlan {
            source,
            sink,
            dead_letter,
            keeps_error_body: dead_letters.error_body,
            window: Capacity {
                events: window_events?.get(),
                bytes: window_bytes?.get(),
            },
            config,
            inputs: table.take_inputs(),
        })
    }

    /// Of waits that end before an exchange may, and of processes that nobody asks for.
    fn warn(&self, table: &Table<'_>, shutdown_deadline: Option<Duration>) {
        let (Ok(source), Ok(sink)) = (&self.source, &self.sink) else {
            return;
        };
        let keeps_order = |plan: &RoutePlan| plan.config.order != Order::None;
        let keeps_order = self.plan.as_ref().is_ok_and(keeps_order);
        let sink_table = table.table("sink");
        if source.tells_part(keeps_order) && sink_table.is_some_and(|it| it.has("processes")) {
            let what = "means nothing here: each process keeps the part of the rate that it reads of the source";
            table.warn(&["sink", "processes"], what, "leave it out");
        }
        let exchange = sink.exchange_timeout().unwrap_or_default();
        let waits = [
            ("drain", source.drain()),
            ("[limits] shutdown_deadline", shutdown_deadline),
        ];
        let is_short = |wait: Option<Duration>| wait.is_some_and(|wait| wait < exchange);
        for (key, _) in waits.into_iter().filter(|(_, wait)| is_short(*wait)) {
            let what = format!(
                "{key} is shorter than this: what the receiver takes later than that is sent again"
            );
            let remedy = "make one longer, or the other shorter";
            table.warn(&["sink", "exchange_timeout"], what, remedy);
        }
    }
}

fn fits_a_line(name: &str) -> Result<(), Fault> {
    let fits = (1..=100).contains(&name.chars().count()) && !name.contains(char::is_control);
    let remedy = "write 1 to 100 characters, without line breaks or other control characters";
    Fault::unless(fits, "is not the name of a route", remedy)
}
