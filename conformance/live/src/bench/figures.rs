//! The figures, and the machine that measured, as a table that can be published and as JSON.

use std::fs;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::json;

use super::Options;
use super::phase::{Books, Phase};
use super::process::Cost;

/// Of one measurement. Times are in milliseconds.
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
    pub(crate) fn of(phase: &Phase<'_>, books: &Books, cost: Option<Cost>) -> Self {
        let mut latencies = books.latencies.clone();
        latencies.sort_unstable();
        let ms = |part: f64| percentile(&latencies, part).as_secs_f64() * 1000.0;
        let seconds = books.whole.as_secs_f64();
        Self {
            what: phase.what,
            bytes: phase.bytes,
            keys: phase.options.keys.max(1),
            rate: phase.rate,
            taken: books.taken,
            lost: books.taken.saturating_sub(latencies.len()),
            refused: books.refused,
            repeats: books.repeats,
            throughput: match seconds > 0.0 {
                true => latencies.len() as f64 / seconds,
                false => 0.0,
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

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Machine {
    pub(crate) processor: String,
    pub(crate) processors: usize,
    pub(crate) memory_gib: f64,
    pub(crate) kernel: String,
}

impl Machine {
    /// This one. What is not known is empty.
    pub(crate) fn this() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let (cpu, memory) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
        let kib = value(&memory, "MemTotal").trim_end_matches("kB");
        let kib = kib.trim().parse::<f64>();
        Self {
            processor: value(&cpu, "model name").to_owned(),
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            memory_gib: kib.unwrap_or_default() / f64::from(1 << 20),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        }
    }
}

fn value<'t>(text: &'t str, name: &str) -> &'t str {
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let found = lines.find(|(key, _)| key.trim() == name);
    found.map_or("", |(_, value)| value.trim())
}

const HARNESS: &str = concat!(env!("CARGO_PKG_NAME"), " ", env!("CARGO_PKG_VERSION"));

pub(crate) fn json(options: &Options, figures: &[Figures]) -> String {
    let report = json!({
        "at": Timestamp::now().to_string(),
        "note": options.note,
        "from": options.near.to_string(),
        "to": options.far.to_string(),
        "harness": HARNESS,
        "machine": Machine::this(),
        "figures": figures,
    });
    format!("{report:#}")
}

pub(crate) fn markdown(options: &Options, figures: &[Figures]) -> String {
    let machine = Machine::this();
    let comma = if options.note.is_empty() { "" } else { ", " };
    let mut out = format!(
        "{} → {}{comma}{}. {}, {} processors, {:.0} GiB, Linux {}; {HARNESS}; {}.\n\n",
        options.near,
        options.far,
        options.note,
        machine.processor,
        machine.processors,
        machine.memory_gib,
        machine.kernel,
        Timestamp::now().strftime("%Y-%m-%d"),
    );
    out += "| what | bytes | keys | asked/s | out/s | p50 ms | p99 ms | p99.9 ms | most ms | processors | peak MiB | repeats | lost | refused |\n\
            | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n";
    for one in figures {
        out += &line(one);
        out.push('\n');
    }
    out += "\nLatency is counted from the moment at which an event was to go in, so that none is left out that an\n\
            intermediary kept waiting; as fast as it goes (`–`), that is when the one before it was taken.\n";
    out
}

pub(crate) fn line(one: &Figures) -> String {
    let none = || "–".to_owned();
    let asked = one.rate.map_or_else(none, |rate| format!("{rate:.0}"));
    let cost = one.cost.map_or_else(
        || "– | –".to_owned(),
        |cost| format!("{:.2} | {:.0}", cost.processors, cost.peak_mib),
    );
    format!(
        "| {} | {} | {} | {asked} | {:.0} | {:.2} | {:.2} | {:.2} | {:.2} | {cost} | {} | {} | {} |",
        one.what,
        one.bytes,
        one.keys,
        one.throughput,
        one.p50_ms,
        one.p99_ms,
        one.p999_ms,
        one.most_ms,
        one.repeats,
        one.lost,
        one.refused,
    )
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
