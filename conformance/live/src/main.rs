//! `cenl-conformance-live`: see `cenl-conformance-live --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tries out receivers, senders and intermediaries of CloudEvents, and writes what was exchanged and shown.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "\
What is written is read by `cenl-conformance check`, which makes the report:
  cenl-conformance-live receiver https://example.nl/hook | cenl-conformance check -
`cenl-conformance test receiver URL` does both."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {}

fn main() -> ExitCode {
    match Cli::parse().command {}
}
