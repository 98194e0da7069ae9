//! The table of counters and gauges: a new one is a new line. `config/README.md` tells operators what
//! to do with each.

use crate::delivery::Verdict;
use crate::route::Route;
use crate::route::breaker::Circuit;
use crate::route::dead_letter::Kind;
use crate::transport::SourceStatus;

/// Reads a value: that of the word with this index.
type Read = fn(&Route, &SourceStatus, usize) -> u64;

/// A metric of each route, or one of each route and word.
pub(super) struct Metric {
    /// Without the `_total` that counters have behind their names.
    pub(super) name: &'static str,
    pub(super) help: &'static str,
    pub(super) is_counter: bool,
    /// The label beside the route; empty where there is none.
    pub(super) label: &'static str,
    /// The words of the label, one for each of its values in a route.
    pub(super) words: fn() -> Vec<&'static str>,
    read: Read,
}

const fn counter(name: &'static str, help: &'static str, read: Read) -> Metric {
    Metric {
        name,
        help,
        is_counter: true,
        label: "",
        words: || vec![""],
        read,
    }
}

const fn gauge(name: &'static str, help: &'static str, read: Read) -> Metric {
    Metric {
        is_counter: false,
        ..counter(name, help, read)
    }
}

impl Metric {
    const fn by(self, label: &'static str, words: fn() -> Vec<&'static str>) -> Self {
        Self {
            label,
            words,
            ..self
        }
    }
}

// One line for each, so that it reads as a table.
#[rustfmt::skip]
pub(super) const METRICS: &[Metric] = &[
    counter("cenl_events", "Events settled, by verdict", |route, _, at| route.tally().settled(VERDICTS[at].0))
        .by("verdict", || VERDICTS.map(|(_, word)| word).to_vec()),
    counter("cenl_attempts", "Exchanges with the sink, by outcome", |route, _, at| route.tally().attempts[at])
        .by("outcome", || OUTCOMES.to_vec()),
    counter("cenl_dead_letters", "Events given up, by kind", |route, _, at| route.tally().dead_letters(Kind::ALL[at]))
        .by("kind", || Kind::ALL.map(Kind::word).to_vec()),
    counter("cenl_messages_taken", "Messages taken from the source", |route, _, _| route.tally().taken),
    counter("cenl_dead_letter_failures", "Dead letters that could not be written", |route, _, _| route.tally().dead_letters_failed),
    counter("cenl_deliveries_dropped", "Deliveries dropped without a verdict, a fault of the bridge", |_, source, _| source.dropped()),
    counter("cenl_messages_lost", "Messages lost before the source could take them", |_, source, _| source.lost()),
    gauge("cenl_in_flight", "Exchanges under way", |route, _, _| route.in_flight() as u64),
    gauge("cenl_window_events", "Events above the watermark", |_, source, _| source.events() as u64),
    gauge("cenl_window_bytes", "Bytes above the watermark", |_, source, _| source.bytes() as u64),
    gauge("cenl_windows", "Open windows", |_, source, _| source.windows() as u64),
    gauge("cenl_windows_held", "Windows read no further until somebody acts", |_, source, _| source.held() as u64),
    gauge("cenl_dead_letters_unwritable", "Whether dead letters cannot be written", |route, _, _| route.dead_letters_fail().into()),
    gauge("cenl_dead_letters_stuck", "Dead letters that their place refuses for good", |route, _, _| route.stuck() as u64),
];

/// The words of the verdicts.
const VERDICTS: [(Verdict, &str); 4] = [
    (Verdict::Delivered, "delivered"),
    (Verdict::Filtered, "filtered"),
    (Verdict::DeadLettered, "dead_lettered"),
    (Verdict::Discarded, "discarded"),
];

/// The words of the outcomes, in the order of the counts.
const OUTCOMES: [&str; 6] = [
    "delivered",
    "duplicate",
    "status",
    "unreachable",
    "untrusted",
    "refused",
];

/// The words of the states of an endpoint's circuit.
pub(super) const ENDPOINT_STATES: [&str; 4] = ["closed", "open", "half_open", "retired"];

/// The index of the word of the endpoint's state.
pub(super) fn endpoint(route: &Route) -> usize {
    match route.circuit() {
        Circuit::Closed => 0,
        Circuit::Open => 1,
        Circuit::HalfOpen => 2,
        Circuit::Retired => 3,
    }
}

/// The values of the table now, one after another.
pub(super) fn read(route: &Route, source: &SourceStatus) -> Vec<u64> {
    let values = |metric: &'static Metric| {
        let read = |at| (metric.read)(route, source, at);
        (0..(metric.words)().len()).map(read)
    };
    METRICS.iter().flat_map(values).collect()
}
