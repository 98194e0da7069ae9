//! The tables of metrics: of each route, of each path that events are posted to, of the process.

use jiff::Timestamp;
use prometheus_client::metrics::MetricType::{self, Counter, Gauge, Histogram};

use super::process::Process;
use super::{Snapshot, Telemetry};
use crate::delivery::Verdict;
use crate::logging;
use crate::route::breaker::Circuit;
use crate::route::dead_letter::Kind;
use crate::route::tally;
use crate::server::AnswerCounts;
use MetricValue::{Absent, ByWord, Number, Seconds, Times};

/// Its name is without the `_total` of counters; its help is also what `docs/operations.md` says of it.
pub(super) struct Metric<T>(
    pub(super) MetricType,
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) fn(&T) -> MetricValue<'_>,
);

pub(super) enum MetricValue<'a> {
    Absent,
    Number(u64),
    Seconds(f64),
    /// For each word of this label.
    ByWord(&'static str, Vec<(&'a str, u64)>),
    Times(&'a tally::Times),
}

// One line for each, so that it reads as a table.
#[rustfmt::skip]
pub(super) const METRICS: &[Metric<Snapshot>] = &[
    Metric(Counter, "cenl_events", "Events settled, by `verdict`.",
        |of| ByWord("verdict", Verdict::ALL.map(|verdict| (verdict.word(), of.tally.settled(verdict))).to_vec())),
    Metric(Counter, "cenl_messages_taken", "Messages taken from the source.", |of| Number(of.tally.taken)),
    Metric(Counter, "cenl_taken_bytes", "Bytes of these messages: headers, key and body.", |of| Number(of.tally.taken_bytes)),
    Metric(Counter, "cenl_delivered_bytes", "Bytes of events delivered, as they were written.", |of| Number(of.tally.delivered_bytes)),
    Metric(Counter, "cenl_attempts", "Exchanges with the destination, by `outcome`: the class of a status that is none of success, or a word. `duplicate` is an event that a stream had already, and counts as delivered.",
        |of| ByWord("outcome", OUTCOMES.into_iter().zip(of.tally.attempts).collect())),
    Metric(Histogram, "cenl_attempt_duration_seconds", "Time of an exchange with the destination.", |of| Times(&of.tally.attempt_times)),
    Metric(Histogram, "cenl_delivery_latency_seconds", "Time from the timestamp of a message (Kafka record, JetStream message; else when it was taken) to the acknowledgement of the destination.", |of| Times(&of.tally.latency)),
    Metric(Gauge, "cenl_last_delivery_timestamp_seconds", "When an event was last delivered, since 1970; not there before the first.",
        |of| of.tally.last_delivery.map_or(Absent, |at| Seconds(at.as_duration().as_secs_f64()))),
    Metric(Gauge, "cenl_source_lag_messages", "Messages that are not settled. Kafka: up to the end of the partitions of this process, asked every 10 s. JetStream: of the consumer, as each process that shares it sees it. Not there while nobody knows it, as without a connection and during a rebalance, and for other sources.", |of| of.lag.map_or(Absent, Number)),
    Metric(Gauge, "cenl_oldest_unsettled_seconds", "Age of the oldest unsettled event, by its own timestamp.", |of| Seconds(of.oldest_seconds())),
    Metric(Gauge, "cenl_endpoint_state", "1 for the `state` of the circuit of the destination: `closed`, `open`, `half_open` while a probe is under way, `retired`.",
        |of| ByWord("state", CIRCUITS.map(|(circuit, word)| (word, u64::from(of.circuit == circuit))).to_vec())),
    Metric(Gauge, "cenl_connection_up", "Whether the client of this `end` (`source`, `sink`, `dead_letter`) has a connection to a broker or server. Not there for HTTP and files, and before it is known.",
        |of| ByWord("end", of.connections.iter().filter_map(|(end, up)| Some((*end, u64::from((*up)?)))).collect())),
    Metric(Gauge, "cenl_source_joined", "Whether the source takes part in its group, or listens.", |of| Number(of.joined.into())),
    Metric(Gauge, "cenl_in_flight", "Exchanges under way.", |of| Number(of.in_flight as u64)),
    Metric(Gauge, "cenl_route_waits_for_rate", "1 while events wait so that the rate which the receiver grants, or `rate` says, is kept.", |of| Number(of.waits_for_rate.into())),
    Metric(Gauge, "cenl_windows", "Partitions assigned, or requests that wait.", |of| Number(of.windows as u64)),
    Metric(Gauge, "cenl_windows_held", "Partitions read no further until somebody acts, 1 at least while a Kafka source may not read.", |of| Number(of.windows_held as u64)),
    Metric(Gauge, "cenl_window_events", "Events taken above the watermarks.", |of| Number(of.window_events as u64)),
    Metric(Gauge, "cenl_window_bytes", "Bytes taken above the watermarks.", |of| Number(of.window_bytes as u64)),
    Metric(Gauge, "cenl_route_held", "1 while the route is held because its destination refuses every event (`stop_after`).", |of| Number(of.hold.is_some().into())),
    Metric(Gauge, "cenl_events_held", "Events that wait for an operator because `on_error` is `hold`; each stands still with its key.", |of| Number(of.events_held as u64)),
    Metric(Gauge, "cenl_route_paused", "1 while the route is paused by an operator.", |of| Number(of.paused.into())),
    Metric(Counter, "cenl_dead_letters", "Events given up, by `kind`.",
        |of| ByWord("kind", Kind::ALL.map(|kind| (kind.word(), of.tally.dead_letters(kind))).to_vec())),
    Metric(Counter, "cenl_dead_letter_failures", "Attempts to write a dead letter that failed.", |of| Number(of.tally.dead_letters_failed)),
    Metric(Gauge, "cenl_dead_letters_unwritable", "1 while dead letters cannot be written, or one of them never can.", |of| Number(of.dead_letters_fail.into())),
    Metric(Gauge, "cenl_dead_letters_stuck", "Dead letters that their place refuses for good; each stands still with its key.", |of| Number(of.stuck as u64)),
    Metric(Gauge, "cenl_dead_letters_open", "Dead letters that were neither replayed nor dismissed, when they were last counted (`[admin] count_dead_letters_every`). Not there before, nor where they could not be counted.", |of| of.dead_letters_open.map_or(Absent, Number)),
    Metric(Counter, "cenl_irregular_events", "Events that went on with an attribute that has not the form of its type, by `attribute`.",
        |of| ByWord("attribute", of.tally.irregular.iter().map(|(name, count)| (&**name, *count)).collect())),
    Metric(Counter, "cenl_profile_violations", "Events that violate a rule of the profile of `[route.check]`, by `rule`, whatever became of them; not what a waiver explains.",
        |of| ByWord("rule", of.tally.violations.iter().map(|(rule, count)| (*rule, *count)).collect())),
    Metric(Counter, "cenl_deliveries_dropped", "Deliveries dropped without a verdict, a fault of the bridge.", |of| Number(of.dropped)),
    Metric(Counter, "cenl_messages_lost", "Messages of a core NATS subject that came faster than they were taken; sequences of a stream that were removed, or passed over, before they were delivered, at most.", |of| Number(of.lost)),
    Metric(Gauge, "cenl_route_tick_age_seconds", "Time since the loop of the route last ran: every 4 s while there is nothing to do.", |of| Seconds(of.ticked.map_or(0.0, |at| at.elapsed().as_secs_f64()))),
];

#[rustfmt::skip]
pub(super) const INGRESS: &[Metric<AnswerCounts>] = &[
    Metric(Counter, "cenl_ingress_answers", "Answers to those who post events, by `listener`, `path` (`other` for those of no route and for what cannot be read) and `class` of status.",
        |of| ByWord("class", of.by_class().collect())),
];

#[rustfmt::skip]
pub(super) const PROCESS: &[Metric<(Telemetry, Process)>] = &[
    Metric(Counter, "cenl_spans", "Spans, by `outcome`: `exported` to the collector, or `dropped` because it did not take them, or not as fast as they came. Not there without `[traces]`.",
        |(of, _)| of.traces.as_ref().map_or(Absent, |it| ByWord("outcome", it.counts.by_outcome()))),
    Metric(Counter, "cenl_log_lines_lost", "Lines of the log that standard error did not take, or not as fast as they came.", |_| Number(logging::lost())),
    Metric(Gauge, "cenl_config_last_reload_successful", "0 while the settings, or the files that they name, are not or not wholly in effect as they were last read, but for what takes effect at the next start.", |(of, _)| Number(of.settings_fault().is_none().into())),
    Metric(Gauge, "cenl_build_info", "1, with the `version` of the bridge.", |_| ByWord("version", vec![(env!("CARGO_PKG_VERSION"), 1)])),
    Metric(Counter, "process_cpu_seconds", "Processor time, of user and system.", |(_, of)| of.cpu_seconds.map_or(Absent, Seconds)),
    Metric(Gauge, "process_resident_memory_bytes", "Memory that is resident.", |(_, of)| of.resident_bytes.map_or(Absent, Number)),
    Metric(Gauge, "process_threads", "Threads.", |(_, of)| of.threads.map_or(Absent, Number)),
    Metric(Gauge, "process_open_fds", "File descriptors that are open.", |(_, of)| of.open_fds.map_or(Absent, Number)),
    Metric(Gauge, "process_max_fds", "File descriptors that may be open.", |(_, of)| of.max_fds.map_or(Absent, Number)),
    Metric(Gauge, "process_start_time_seconds", "When the process began, since 1970.", |(_, of)| of.started_at_seconds.map_or(Absent, Seconds)),
];

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
