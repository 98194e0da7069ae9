//! The tables of metrics: of each route, of each path that events are posted to, of the process.

use jiff::Timestamp;
use prometheus_client::metrics::MetricType::{self, Counter, Gauge, Histogram};

use super::Snapshot;
use super::process::Process;
use crate::delivery::Verdict;
use crate::route::breaker::Circuit;
use crate::route::dead_letter::Kind;
use crate::route::tally;
use crate::server::AnswerCounts;
use crate::traces::SpanCounts;
use MetricValue::{ByWord, Number, Seconds, Times};

pub(super) struct Metric<T> {
    /// Without the `_total` of counters.
    pub(super) name: &'static str,
    /// Also what `docs/operations.md` says of it.
    pub(super) help: &'static str,
    pub(super) kind: MetricType,
    pub(super) read: fn(&T) -> MetricValue<'_>,
}

/// `None` is not shown.
pub(super) enum MetricValue<'a> {
    Number(Option<u64>),
    /// For each word of this label.
    ByWord(&'static str, Vec<(&'a str, u64)>),
    /// Of a gauge.
    Seconds(Option<f64>),
    Times(&'a tally::Times),
}

const fn metric<T>(
    kind: MetricType,
    name: &'static str,
    help: &'static str,
    read: fn(&T) -> MetricValue<'_>,
) -> Metric<T> {
    Metric {
        name,
        help,
        kind,
        read,
    }
}

// One line for each, so that it reads as a table.
#[rustfmt::skip]
pub(super) const METRICS: &[Metric<Snapshot>] = &[
    metric(Counter, "cenl_events", "Events settled, by `verdict`.",
        |of| ByWord("verdict", Verdict::ALL.map(|verdict| (verdict.word(), of.tally.settled(verdict))).to_vec())),
    metric(Counter, "cenl_messages_taken", "Messages taken from the source.", |of| count(of.tally.taken)),
    metric(Counter, "cenl_taken_bytes", "Bytes of these messages: headers, key and body.", |of| count(of.tally.taken_bytes)),
    metric(Counter, "cenl_delivered_bytes", "Bytes of events delivered, as they were written.", |of| count(of.tally.delivered_bytes)),
    metric(Counter, "cenl_attempts", "Exchanges with the destination, by `outcome`: the class of a status that is none of success, or a word. `duplicate` is an event that a stream had already, and counts as delivered.",
        |of| ByWord("outcome", OUTCOMES.into_iter().zip(of.tally.attempts).collect())),
    metric(Histogram, "cenl_attempt_duration_seconds", "Time of an exchange with the destination.", |of| Times(&of.tally.attempt_times)),
    metric(Histogram, "cenl_delivery_latency_seconds", "Time from the timestamp of a message (Kafka record, JetStream message; else when it was taken) to the acknowledgement of the destination.", |of| Times(&of.tally.latency)),
    metric(Gauge, "cenl_last_delivery_timestamp_seconds", "When an event was last delivered, since 1970; not there before the first.",
        |of| Seconds(of.tally.last_delivery.map(|at| at.as_duration().as_secs_f64()))),
    metric(Gauge, "cenl_source_lag_messages", "Messages that are not settled. Kafka: up to the end of the partitions of this process, asked every 10 s. JetStream: of the consumer, as each process that shares it sees it. Not there without a connection, and for other sources.", |of| Number(of.lag)),
    metric(Gauge, "cenl_oldest_unsettled_seconds", "Age of the oldest unsettled event, by its own timestamp.", |of| Seconds(Some(of.oldest_seconds()))),
    metric(Gauge, "cenl_endpoint_state", "1 for the `state` of the circuit of the destination: `closed`, `open`, `half_open` while a probe is under way, `retired`.",
        |of| ByWord("state", CIRCUITS.map(|(circuit, word)| (word, u64::from(of.circuit == circuit))).to_vec())),
    metric(Gauge, "cenl_connection_up", "Whether the client of this `end` (`source`, `sink`, `dead_letter`) has a connection to a broker or server. Not there for HTTP and files, and before it is known.",
        |of| ByWord("end", of.connections.iter().filter_map(|(end, up)| Some((*end, u64::from((*up)?)))).collect())),
    metric(Gauge, "cenl_source_joined", "Whether the source takes part in its group, or listens.", |of| count(of.joined.into())),
    metric(Gauge, "cenl_in_flight", "Exchanges under way.", |of| count(of.in_flight as u64)),
    metric(Gauge, "cenl_route_waits_for_rate", "1 while events wait so that the rate which the receiver grants, or `rate` says, is kept.", |of| count(of.waits_for_rate.into())),
    metric(Gauge, "cenl_windows", "Partitions assigned, or requests that wait.", |of| count(of.windows as u64)),
    metric(Gauge, "cenl_windows_held", "Partitions read no further until somebody acts, 1 at least while a Kafka source may not read.", |of| count(of.windows_held as u64)),
    metric(Gauge, "cenl_window_events", "Events taken above the watermarks.", |of| count(of.window_events as u64)),
    metric(Gauge, "cenl_window_bytes", "Bytes taken above the watermarks.", |of| count(of.window_bytes as u64)),
    metric(Gauge, "cenl_route_held", "1 while the route is held because its destination refuses every event (`stop_after`).", |of| count(of.hold.is_some().into())),
    metric(Gauge, "cenl_events_held", "Events that wait for an operator because `on_error` is `hold`; each stands still with its key.", |of| count(of.events_held as u64)),
    metric(Gauge, "cenl_route_paused", "1 while the route is paused by an operator.", |of| count(of.paused.into())),
    metric(Counter, "cenl_dead_letters", "Events given up, by `kind`.",
        |of| ByWord("kind", Kind::ALL.map(|kind| (kind.word(), of.tally.dead_letters(kind))).to_vec())),
    metric(Counter, "cenl_dead_letter_failures", "Attempts to write a dead letter that failed.", |of| count(of.tally.dead_letters_failed)),
    metric(Gauge, "cenl_dead_letters_unwritable", "1 while dead letters cannot be written, or one of them never can.", |of| count(of.dead_letters_fail.into())),
    metric(Gauge, "cenl_dead_letters_stuck", "Dead letters that their place refuses for good; each stands still with its key.", |of| count(of.stuck as u64)),
    metric(Gauge, "cenl_dead_letters_open", "Dead letters that were neither replayed nor dismissed, when they were last counted (`[admin] count_dead_letters_every`). Not there before, nor where they could not be counted.", |of| Number(of.dead_letters_open)),
    metric(Counter, "cenl_irregular_events", "Events that went on with an attribute that has not the form of its type, by `attribute`.",
        |of| ByWord("attribute", of.tally.irregular.iter().map(|(name, count)| (&**name, *count)).collect())),
    metric(Counter, "cenl_profile_violations", "Events that violate a rule of the profile of `[route.check]`, by `rule`, whatever became of them; not what a waiver explains.",
        |of| ByWord("rule", of.tally.violations.iter().map(|(rule, count)| (*rule, *count)).collect())),
    metric(Counter, "cenl_deliveries_dropped", "Deliveries dropped without a verdict, a fault of the bridge.", |of| count(of.dropped)),
    metric(Counter, "cenl_messages_lost", "Messages of a core NATS subject that came faster than they were taken; sequences of a stream that were removed before they were delivered, at most.", |of| count(of.lost)),
    metric(Gauge, "cenl_route_tick_age_seconds", "Time since the loop of the route last ran: every 4 s while there is nothing to do.", |of| Seconds(Some(of.ticked.map_or(0.0, |at| at.elapsed().as_secs_f64())))),
];

#[rustfmt::skip]
pub(super) const INGRESS: &[Metric<AnswerCounts>] = &[
    metric(Counter, "cenl_ingress_answers", "Answers to those who post events, by `listener`, `path` (`other` for those of no route and for what cannot be read) and `class` of status.",
        |of| ByWord("class", of.by_class().collect())),
];

#[rustfmt::skip]
pub(super) const TRACES: &[Metric<SpanCounts>] = &[
    metric(Counter, "cenl_spans", "Spans, by `outcome`: `exported` to the collector, or `dropped` because it did not take them, or not as fast as they came. Not there without `[traces]`.",
        |of| ByWord("outcome", of.by_outcome())),
];

#[rustfmt::skip]
pub(super) const PROCESS: &[Metric<Process>] = &[
    metric(Gauge, "cenl_build_info", "1, with the `version` of the bridge.", |_| ByWord("version", vec![(env!("CARGO_PKG_VERSION"), 1)])),
    metric(Counter, "process_cpu_seconds", "Processor time, of user and system.", |of| Seconds(of.cpu_seconds)),
    metric(Gauge, "process_resident_memory_bytes", "Memory that is resident.", |of| Number(of.resident_bytes)),
    metric(Gauge, "process_threads", "Threads.", |of| Number(of.threads)),
    metric(Gauge, "process_open_fds", "File descriptors that are open.", |of| Number(of.open_fds)),
    metric(Gauge, "process_max_fds", "File descriptors that may be open.", |of| Number(of.max_fds)),
    metric(Gauge, "process_start_time_seconds", "When the process began, since 1970.", |of| Seconds(of.started_at_seconds)),
];

fn count<'a>(count: u64) -> MetricValue<'a> {
    Number(Some(count))
}

impl Snapshot {
    /// Age of the oldest unsettled event; 0 where there is none.
    pub(crate) fn oldest_seconds(&self) -> f64 {
        let now = Timestamp::now().as_millisecond();
        let since = self.oldest_ms.unwrap_or(now);
        now.saturating_sub(since).max(0) as f64 / 1000.0
    }
}

/// In the order of the counts.
const OUTCOMES: [&str; 9] = [
    "delivered",
    "duplicate",
    "3xx",
    "4xx",
    "5xx",
    "other",
    "unreachable",
    "untrusted",
    "refused",
];

const CIRCUITS: [(Circuit, &str); 4] = [
    (Circuit::Closed, "closed"),
    (Circuit::Open, "open"),
    (Circuit::HalfOpen, "half_open"),
    (Circuit::Retired, "retired"),
];
