//! What a run came to, in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::Command;

use super::director::Incident;
use super::figures::{figures, table, too_many_repeats};
use super::judge::{AfterKill, Judgement};
use super::options::Options;
use super::receiver::Counts;

/// See the module.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) command: String,
    /// Events per second and pair.
    pub(crate) rate: u32,
    pub(crate) minutes: f64,
    pub(crate) judgements: Vec<Judgement>,
    pub(crate) incidents: Vec<Incident>,
    /// For each pair, how long after the last healing all had arrived that was ever due.
    pub(crate) last: Vec<Option<u32>>,
    pub(crate) receiver: Counts,
    /// What was wrong beside the events.
    pub(crate) complaints: Vec<String>,
}

impl Report {
    /// Everything that breaks the promise.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut faults = self.complaints.clone();
        faults.extend(self.judgements.iter().flat_map(Judgement::faults));
        let repeated = |own| too_many_repeats(own, self.rate);
        faults.extend(self.judgements.iter().filter_map(repeated));
        if self.receiver.hurried > 0 {
            let hurried = self.receiver.hurried;
            faults.push(format!("{hurried} requests before a Retry-After was over"));
        }
        faults
    }

    /// # Panics
    /// When anything breaks the promise.
    pub(crate) fn keeps_the_promise(&self) {
        let faults = self.faults();
        assert!(
            faults.is_empty(),
            "\n{}\n{}",
            faults.join("\n"),
            self.command
        );
    }

    /// Prints it, and writes it to the file that the options name.
    pub(crate) fn publish(&self, options: &Options) {
        let text = self.text();
        println!("{text}");
        if let Some(file) = &options.summary {
            std::fs::write(file, text).unwrap();
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        let faults = self.faults();
        let verdict = match faults.is_empty() {
            true => "**The promise was kept.**".to_owned(),
            false => format!("**The promise was broken:**\n\n- {}", faults.join("\n- ")),
        };
        let kills: usize = self
            .incidents
            .iter()
            .map(|incident| incident.kills.len())
            .sum();
        write!(
            text,
            "# Proof under faults\n\n{verdict}\n\n\
             - commit: {}\n- command: `{}`\n- machine: {}\n- date: {}\n\
             - {:.1} minutes, {} faults, {kills} `kill -9` of the bridge\n\n",
            commit(),
            self.command,
            machine(),
            jiff::Timestamp::now().strftime("%Y-%m-%d %H:%M UTC"),
            self.minutes,
            self.incidents.len(),
        )
        .unwrap();
        self.write_pairs(&mut text);
        let figures = figures(&self.judgements, &self.incidents, &self.last);
        write!(text, "\n{}", table(&figures)).unwrap();
        self.write_faults(&mut text);
        text
    }

    fn write_pairs(&self, text: &mut String) {
        let mut row = |title: &str, cells: &mut dyn Iterator<Item = String>| {
            let cells: Vec<_> = cells.collect();
            writeln!(text, "| {title} | {} |", cells.join(" | ")).unwrap();
        };
        let pairs = || self.judgements.iter();
        row("", &mut pairs().map(|own| own.pair.to_owned()));
        row("---", &mut pairs().map(|_| "---".to_owned()));
        for (title, cell) in ROWS {
            row(title, &mut pairs().map(cell));
        }
        let last = self.last.iter().copied().map(seconds);
        row(
            "drained after the last fault, seconds",
            &mut last.into_iter(),
        );
        let Counts {
            requests,
            asked_for_time,
            crossed,
            hurried,
        } = self.receiver;
        writeln!(
            text,
            "\nThe receiver saw {requests} requests and asked for time {asked_for_time} times; \
             {crossed} requests were on the way then, **{hurried} came before the time was over**."
        )
        .unwrap();
    }

    fn write_faults(&self, text: &mut String) {
        let mut kinds: BTreeMap<&str, Vec<&Incident>> = BTreeMap::new();
        for incident in &self.incidents {
            kinds.entry(&incident.name).or_default().push(incident);
        }
        let names = self.judgements.iter().map(|own| own.pair);
        let names: Vec<_> = names.collect();
        write!(
            text,
            "\nSeconds from the healing until all had arrived that was due by then, or within a second \
             of a death (median / most), and repeats that the fault caused:\n\n| fault | times | {} |\n| --- | --- |{}\n",
            names.join(" | "),
            " --- |".repeat(names.len())
        )
        .unwrap();
        for (kind, incidents) in kinds {
            write!(text, "| {kind} | {} |", incidents.len()).unwrap();
            for (number, judgement) in self.judgements.iter().enumerate() {
                let mut drained: Vec<_> = incidents
                    .iter()
                    .map(|incident| incident.drained[number])
                    .collect();
                // What never drained is the longest.
                drained.sort_unstable_by_key(|drained| drained.unwrap_or(u32::MAX));
                let (median, most) = (drained[drained.len() / 2], drained[drained.len() - 1]);
                let repeats = judgement.caused.get(kind).copied().unwrap_or_default();
                write!(
                    text,
                    " {} / {}, {repeats} |",
                    seconds(median),
                    seconds(most)
                )
                .unwrap();
            }
            text.push('\n');
        }
    }
}

/// A row of the table: its title, and what stands below each pair.
type Row = (&'static str, fn(&Judgement) -> String);

const ROWS: [Row; 13] = [
    ("events sent", |own| own.sent.to_string()),
    ("arrived", |own| own.arrived.to_string()),
    ("**lost**", |own| own.lost.len().to_string()),
    (
        "**overtaken**: first arrivals out of the order of their key",
        |own| own.overtaken.len().to_string(),
    ),
    ("sent before an earlier one of the key was taken", |own| {
        own.jumped.len().to_string()
    }),
    ("arrived and never sent, or changed", |own| {
        own.strange.len().to_string()
    }),
    (
        "repeats, each with the `source` and `id` of its event",
        |own| own.repeats.to_string(),
    ),
    ("… because its sender offered it again", |own| {
        own.offered_again.to_string()
    }),
    ("… **without a cause**", |own| {
        own.uncaused.len().to_string()
    }),
    (
        "repeats after a kill at the steady rate, of events that stood behind an open one: mean, most",
        |own| spread(&own.kills, |kill| kill.above),
    ),
    (
        "repeats after a kill at the steady rate, beyond those: mean, most",
        |own| spread(&own.kills, |kill| kill.below),
    ),
    (
        "malformed events, and their dead letters, repeats included",
        |own| format!("{}, {}", own.malformed, own.dead - own.undeserved.len()),
    ),
    ("**undeserved dead letters**", |own| {
        own.undeserved.len().to_string()
    }),
];

fn seconds(millis: Option<u32>) -> String {
    match millis {
        Some(millis) => format!("{:.1}", f64::from(millis) / 1000.0),
        None => "never".to_owned(),
    }
}

fn spread(kills: &[AfterKill], count: impl Fn(&AfterKill) -> usize) -> String {
    let counts = || kills.iter().map(&count);
    match kills.len() {
        0 => "–".to_owned(),
        #[allow(clippy::cast_precision_loss, reason = "small counts")]
        kills => format!(
            "{:.1}, {}",
            counts().sum::<usize>() as f64 / kills as f64,
            counts().max().unwrap_or_default()
        ),
    }
}

pub(crate) fn commit() -> String {
    let git = |arguments: &[&str]| {
        let said = Command::new("git").args(arguments).output();
        said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned())
            .unwrap_or_default()
    };
    let changed = match git(&["status", "--porcelain"]).is_empty() {
        true => "",
        false => ", with changes",
    };
    format!("{}{changed}", git(&["rev-parse", "--short=12", "HEAD"]))
}

pub(crate) fn machine() -> String {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let after = |text: &str, name: &str| {
        let mut lines = text.lines();
        let line = lines.find_map(|line| line.strip_prefix(name).map(str::to_owned));
        line.unwrap_or_default()
            .trim_matches(['\t', ' ', ':'])
            .to_owned()
    };
    format!(
        "{} × {}, {} of memory",
        std::thread::available_parallelism().map_or(0, usize::from),
        after(&read("/proc/cpuinfo"), "model name"),
        after(&read("/proc/meminfo"), "MemTotal")
    )
}
