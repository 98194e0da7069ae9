//! The table of metrics.

use prometheus_client::metrics::MetricType::{self, Counter, Gauge, Histogram};
use tokio::time::Instant;

use super::Snapshot;
use crate::delivery::Verdict;
use crate::route::breaker::Circuit;
use crate::route::dead_letter::Kind;
use MetricValue::{Age, AttemptTimes, ByWord, Number};

pub(super) struct Metric {
    /// Without the `_total` of counters.
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) kind: MetricType,
    pub(super) read: fn(&Snapshot) -> MetricValue<'_>,
}

pub(super) enum MetricValue<'a> {
    Number(u64),
    /// For each word of this label.
    ByWord(&'static str, Vec<(&'a str, u64)>),
    /// The seconds since then.
    Age(Option<Instant>),
    AttemptTimes,
}

const fn metric(
    kind: MetricType,
    name: &'static str,
    help: &'static str,
    read: fn(&Snapshot) -> MetricValue<'_>,
) -> Metric {
    Metric {
        name,
        help,
        kind,
        read,
    }
}

// One line for each, so that it reads as a table.
#[rustfmt::skip]
pub(super) const METRICS: &[Metric] = &[
    metric(Counter, "cenl_events", "Events settled, by verdict.",
        |of| ByWord("verdict", VERDICTS.map(|(verdict, word)| (word, of.tally.settled(verdict))).to_vec())),
    metric(Counter, "cenl_attempts", "Exchanges with the sink, by outcome.",
        |of| ByWord("outcome", OUTCOMES.into_iter().zip(of.tally.attempts).collect())),
    metric(Counter, "cenl_dead_letters", "Events given up, by kind.",
        |of| ByWord("kind", Kind::ALL.map(|kind| (kind.word(), of.tally.dead_letters(kind))).to_vec())),
    metric(Counter, "cenl_irregular_events", "Events that went on with an attribute that has not the form of its type, by attribute.",
        |of| ByWord("attribute", of.tally.irregular.iter().map(|(name, count)| (&**name, *count)).collect())),
    metric(Gauge, "cenl_endpoint_state", "1 for the state the circuit of the sink is in.",
        |of| ByWord("state", CIRCUITS.map(|(circuit, word)| (word, u64::from(of.circuit == circuit))).to_vec())),
    metric(Counter, "cenl_messages_taken", "Messages taken from the source.", |of| Number(of.tally.taken)),
    metric(Counter, "cenl_dead_letter_failures", "Dead letters that could not be written.", |of| Number(of.tally.dead_letters_failed)),
    metric(Counter, "cenl_deliveries_dropped", "Deliveries dropped without a verdict, a fault of the bridge.", |of| Number(of.dropped)),
    metric(Counter, "cenl_messages_lost", "Messages lost before the source could take them.", |of| Number(of.lost)),
    metric(Gauge, "cenl_in_flight", "Exchanges under way.", |of| Number(of.in_flight as u64)),
    metric(Gauge, "cenl_window_events", "Events above the watermark.", |of| Number(of.window_events as u64)),
    metric(Gauge, "cenl_window_bytes", "Bytes above the watermark.", |of| Number(of.window_bytes as u64)),
    metric(Gauge, "cenl_windows", "Open windows.", |of| Number(of.windows as u64)),
    metric(Gauge, "cenl_windows_held", "Windows read no further until somebody acts.", |of| Number(of.windows_held as u64)),
    metric(Gauge, "cenl_dead_letters_unwritable", "Whether dead letters cannot be written.", |of| Number(of.dead_letters_fail.into())),
    metric(Gauge, "cenl_dead_letters_stuck", "Dead letters that their place refuses for good.", |of| Number(of.stuck as u64)),
    metric(Gauge, "cenl_route_held", "Whether the route is held because its destination refuses every event.", |of| Number(of.held.is_some().into())),
    metric(Gauge, "cenl_source_joined", "Whether the source has joined.", |of| Number(of.joined.into())),
    metric(Gauge, "cenl_oldest_unsettled_seconds", "Age of the oldest unsettled event.", |of| Age(of.oldest)),
    metric(Gauge, "cenl_route_tick_age_seconds", "Time since the route's loop last ran.", |of| Age(of.ticked)),
    metric(Histogram, "cenl_attempt_duration_seconds", "Time of an exchange with the sink.", |_| AttemptTimes),
];

const VERDICTS: [(Verdict, &str); 4] = [
    (Verdict::Delivered, "delivered"),
    (Verdict::Filtered, "filtered"),
    (Verdict::DeadLettered, "dead_lettered"),
    (Verdict::Discarded, "discarded"),
];

/// In the order of the counts.
const OUTCOMES: [&str; 6] = [
    "delivered",
    "duplicate",
    "status",
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
