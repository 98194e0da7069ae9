//! The figures of one measurement.

use std::time::Duration;

use serde::Serialize;

use super::phase::{Phase, Times};
use super::process::Cost;

/// See the module. Times are in milliseconds.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Figures {
    pub(crate) what: &'static str,
    pub(crate) bytes: usize,
    pub(crate) keys: usize,
    /// Events in a second that were to go in; `None` for as fast as it goes.
    pub(crate) rate: Option<f64>,
    pub(crate) taken: usize,
    pub(crate) lost: usize,
    pub(crate) refused: usize,
    pub(crate) repeats: usize,
    /// Events in a second that came out.
    pub(crate) throughput: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) p999_ms: f64,
    pub(crate) most_ms: f64,
    pub(crate) cost: Option<Cost>,
}

impl Figures {
    pub(crate) fn of(what: &'static str, phase: &Phase, times: &Times, cost: Option<Cost>) -> Self {
        let mut latencies = times.latencies.clone();
        latencies.sort_unstable();
        let ms = |part: f64| percentile(&latencies, part).as_secs_f64() * 1000.0;
        let seconds = times.whole.as_secs_f64();
        Self {
            what,
            bytes: phase.bytes,
            keys: phase.keys,
            rate: phase.rate,
            taken: times.taken,
            lost: times.taken.saturating_sub(latencies.len()),
            refused: times.refused,
            repeats: times.repeats,
            throughput: if seconds > 0.0 {
                latencies.len() as f64 / seconds
            } else {
                0.0
            },
            p50_ms: ms(0.5),
            p99_ms: ms(0.99),
            p999_ms: ms(0.999),
            most_ms: ms(1.0),
            cost,
        }
    }
}

/// The latency that a part of all events is not above.
fn percentile(sorted: &[Duration], part: f64) -> Duration {
    let rank = (part * sorted.len() as f64).ceil() as usize;
    let found = sorted.get(rank.max(1) - 1);
    found.copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_that_was_measured() {
        let all: Vec<_> = (1..=1000).map(Duration::from_millis).collect();
        for (part, expected) in [(0.5, 500), (0.99, 990), (0.999, 999), (1.0, 1000)] {
            assert_eq!(percentile(&all, part), Duration::from_millis(expected));
        }
        assert_eq!(percentile(&all[..1], 0.5), Duration::from_millis(1));
        assert_eq!(percentile(&[], 0.5), Duration::ZERO);
    }
}
