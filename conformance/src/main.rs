//! `cenl-conformance`: see `cenl-conformance --help`.

#![forbid(unsafe_code)]

mod cli;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use cloudevents_nl_conformance::vectors::{self, NotMet};

use cli::{Cli, Command};

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("cenl-conformance: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether every case is met.
fn run(cli: Cli) -> anyhow::Result<bool> {
    let Command::Vectors { dir, not_met } = cli.command;
    let not_met = not_met.map_or_else(|| Ok(NotMet::default()), |path| NotMet::read(&path))?;
    let report = vectors::run(&dir, &not_met)?;
    writeln!(std::io::stdout(), "{report}")?;
    Ok(report.failed() == 0)
}
