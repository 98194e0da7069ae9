//! Medians, ratios and the table people read.

use std::fmt::Write;
use std::time::Duration;

use crate::Work;
use crate::party::Usage;
use crate::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contestant {
    Bare,
    Bridge,
}

/// One contestant's way through the traffic, from the first tenth to the end.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) events: usize,
    pub(crate) elapsed: Duration,
    pub(crate) usage: Usage,
    /// Most memory that the contestant ever held, in bytes.
    pub(crate) peak_memory: u64,
    /// How long each answer took; empty where nobody waits for one.
    pub(crate) latencies_us: Vec<u32>,
}

/// All runs of one line.
#[derive(Debug, Default)]
pub(crate) struct Measured {
    bare: Vec<Run>,
    bridge: Vec<Run>,
}

impl Measured {
    /// Lets the contestants run in turn, so that a disturbance hits both.
    pub(crate) fn interleave(runs: usize, mut run: impl FnMut(Contestant) -> Run) -> Self {
        let mut measured = Self::default();
        for _ in 0..runs {
            measured.bare.push(run(Contestant::Bare));
            measured.bridge.push(run(Contestant::Bridge));
        }
        measured
    }
}

/// The lines so far.
#[derive(Default)]
pub(crate) struct Summary {
    lines: String,
    paced: String,
    /// The rate of the bridge with the first work of a path at 1 KiB.
    rates: Vec<(Path, f64)>,
}

impl Summary {
    /// Adds a line and returns it.
    pub(crate) fn add(&mut self, work: Work, measured: &Measured) -> String {
        let (bare, bridge) = (Figures::of(&measured.bare), Figures::of(&measured.bridge));
        let ratio = bridge.rate / bare.rate;
        if work.size == "1KiB" {
            self.rates.push((work.path, bridge.rate));
        }
        let name = work.name();
        let verdict = if ratio >= work.goal { "met" } else { "MISSED" };
        let line = format!(
            "| {name} | {bare} | {bridge} | **{ratio:.2}** | {}: {verdict} |",
            work.goal
        );
        self.lines.push_str(&line);
        self.lines.push('\n');
        line
    }

    /// Events per second that the bridge carried on this path.
    pub(crate) fn rate(&self, path: Path) -> f64 {
        let found = self.rates.iter().find(|(of, _)| *of == path);
        found.expect("the path was measured").1
    }

    /// Adds a line about events that came at this rate and returns it.
    pub(crate) fn add_paced(&mut self, work: Work, rate: f64, measured: &Measured) -> String {
        let path = work.path.name();
        let figures = [&measured.bare, &measured.bridge].map(|runs| {
            let figures = Figures::of(runs);
            let (p50, p99) = figures.percentiles_ms.expect("every event was timed");
            format!("{p50:.1} / {p99:.1}; {:.1} µs", figures.cpu_us[0])
        });
        let [bare, bridge] = figures;
        let line = format!("| {path}, {} | {rate:.0} | {bare} | {bridge} |", work.size);
        self.paced.push_str(&line);
        self.paced.push('\n');
        line
    }

    pub(crate) fn table(&self) -> String {
        let mut text = String::new();
        let head =
            "events/s (all runs); CPU µs per event: own, brokers', bench's; peak MiB; p50 / p99 ms";
        writeln!(
            text,
            "\n| 64 in flight | bare pipe: {head} | bridge: the same | ratio | goal |"
        )
        .expect("a String takes all text");
        text.push_str("|---|---|---|---|---|\n");
        text.push_str(&self.lines);
        text.push_str(
            "\nFrom writing to arrival, at half of the bridge's rate: p50 / p99 in ms; own CPU per event\n\n\
             | path | events/s | bare pipe | bridge |\n|---|---|---|---|\n",
        );
        text.push_str(&self.paced);
        text
    }
}

/// What is said of one contestant.
struct Figures {
    rate: f64,
    rates: Vec<f64>,
    /// Of the contestant, the brokers and this program, in microseconds per event.
    cpu_us: [f64; 3],
    peak_mebibytes: f64,
    percentiles_ms: Option<(f64, f64)>,
}

impl Figures {
    fn of(runs: &[Run]) -> Self {
        let rates: Vec<_> = runs
            .iter()
            .map(|run| run.events as f64 / run.elapsed.as_secs_f64())
            .collect();
        let cpu = |of: fn(&Usage) -> Duration| {
            let each = runs.iter();
            let each = each.map(|run| of(&run.usage).as_secs_f64() * 1e6 / run.events as f64);
            median(each.collect())
        };
        let peak = runs.iter().map(|run| run.peak_memory).max();
        let mut latencies: Vec<_> = runs
            .iter()
            .flat_map(|run| run.latencies_us.iter().copied())
            .collect();
        latencies.sort_unstable();
        let percentile =
            |part: usize| f64::from(latencies[(latencies.len() - 1) * part / 100]) / 1e3;
        Self {
            rate: median(rates.clone()),
            rates,
            cpu_us: [
                cpu(|usage| usage.contestant),
                cpu(|usage| usage.brokers),
                cpu(|usage| usage.load),
            ],
            peak_mebibytes: peak.unwrap_or_default() as f64 / f64::from(1 << 20),
            percentiles_ms: (!latencies.is_empty()).then(|| (percentile(50), percentile(99))),
        }
    }
}

pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

impl std::fmt::Display for Figures {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rates: Vec<_> = self.rates.iter().map(|rate| format!("{rate:.0}")).collect();
        let [own, brokers, load] = self.cpu_us;
        write!(
            formatter,
            "{:.0} ({}); {own:.1}, {brokers:.1}, {load:.1} µs; {:.0} MiB",
            self.rate,
            rates.join(", "),
            self.peak_mebibytes
        )?;
        match self.percentiles_ms {
            Some((p50, p99)) => write!(formatter, "; {p50:.1} / {p99:.1}"),
            None => Ok(()),
        }
    }
}
