//! Measures an intermediary: how much goes through it, how long it takes, and what it costs.
//!
//! Latency is counted from the moment at which an event was to be sent, not from when it was: an
//! intermediary that stops taking events is late for all those that should have gone in meanwhile.

mod figures;
mod phase;
mod process;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use cloudevents_nl_conformance::{Language, Mode};

use crate::command::{duration, mode, rate};
use crate::intermediary::address::Address;
use crate::intermediary::ends::{Far, Near, Security};
use crate::intermediary::message::Writer;
use figures::Figures;
use phase::Phase;
use process::Look;

/// What is measured.
#[derive(Clone, Debug, Subcommand)]
#[allow(clippy::exhaustive_enums, reason = "a subcommand each")]
pub enum Bench {
    /// Measures an intermediary between two ends.
    Intermediary(Box<Options>),
}

/// How an intermediary is measured.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Ends are written as for `cenl-conformance-live intermediary`. Each size is measured at --rate, where it is
given, and as fast as it goes; with --bare once more without the intermediary, straight into the far end.
The table, in Markdown, goes to standard output. Exit code 1 tells that events were lost.")]
pub struct Options {
    /// Where events go in
    #[arg(long = "in", value_name = "ADDRESS")]
    near: Address,
    /// Where they come out
    #[arg(long = "out", value_name = "ADDRESS")]
    far: Address,
    /// Content mode in which they go in: structured or binary
    #[arg(long, default_value = "structured", value_parser = mode())]
    in_mode: Mode,
    /// How many go in in a second, for latency
    #[arg(long, value_name = "NUMBER", value_parser = rate)]
    rate: Option<f64>,
    /// How long each measurement takes
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    time: Duration,
    /// How long to wait for the last ones
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    wait: Duration,
    /// Bytes of data beside a number
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_values_t = [256])]
    bytes: Vec<usize>,
    /// Keys, each of which has one event on its way in at a time
    #[arg(long, value_name = "NUMBER", default_value_t = 64)]
    keys: usize,
    /// The process of the intermediary, whose CPU and memory are told
    #[arg(long, value_name = "NUMBER", conflicts_with = "process")]
    pid: Option<u32>,
    /// The same, by the name of its program
    #[arg(long, value_name = "NAME")]
    process: Option<String>,
    /// Measure the far end alone as well
    #[arg(long)]
    bare: bool,
    /// What is measured, and its version or commit, for the table
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,
    /// Where the figures are written as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    #[command(flatten)]
    security: Security,
}

/// Measures it, and prints the table.
///
/// # Errors
/// When an end cannot be opened, there is no such process, or a file cannot be written.
pub async fn run(bench: Bench) -> anyhow::Result<ExitCode> {
    let Bench::Intermediary(options) = bench;
    if options.in_mode == Mode::Batched {
        bail!("--in-mode batch cannot be measured: structured and binary can");
    }
    let pid = match &options.process {
        Some(name) => Some(process::named(name)?),
        None => options.pid,
    };
    // What is late from one measurement is known by its run in the next.
    let lang = Language::English;
    let mut far = Far::open(&options.far, &options.security, Vec::new(), lang).await?;
    let mut all = Vec::new();
    for bytes in &options.bytes {
        let ends = (&options.near, &mut far);
        all.extend(options.measure(ends, "intermediary", *bytes, pid).await?);
        if options.bare {
            let ends = (&options.far, &mut far);
            all.extend(options.measure(ends, "bare", *bytes, None).await?);
        }
    }
    print!("{}", figures::markdown(&options, &all));
    if let Some(path) = &options.json {
        let written = std::fs::write(path, figures::json(&options, &all));
        written.with_context(|| path.display().to_string())?;
    }
    Ok(match all.iter().all(|figures| figures.lost == 0) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

impl Options {
    /// At a rate, where there is one, and as fast as it goes.
    async fn measure(
        &self,
        (near, far): (&Address, &mut Far),
        what: &'static str,
        bytes: usize,
        pid: Option<u32>,
    ) -> anyhow::Result<Vec<Figures>> {
        let near_end = Near::open(near, &self.security).await?;
        let mut all = Vec::new();
        for rate in self.rate.map(Some).into_iter().chain([None]) {
            let phase = Phase {
                what,
                options: self,
                writer: Writer {
                    protocol: near.protocol,
                    mode: self.in_mode,
                },
                rate,
                bytes,
            };
            let before = pid.map(Look::at).transpose()?;
            let books = phase.run(&near_end, far).await;
            let after = pid.map(Look::at).transpose()?;
            let looks = before.zip(after);
            let cost = looks.map(|(before, after)| after.since(&before));
            let figures = Figures::of(&phase, &books, cost);
            eprintln!("{}", figures::line(&figures));
            all.push(figures);
        }
        Ok(all)
    }
}
