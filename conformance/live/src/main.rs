//! `cenl-conformance-live`: see `cenl-conformance-live --help`.

#![forbid(unsafe_code)]

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cloudevents_nl_conformance_live::{bench, intermediary, receiver, sender};

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
enum Command {
    Receiver(Box<receiver::Arguments>),
    /// Plays a receiver, and tells whether the sender that delivers to it does what it has to.
    Sender(Box<sender::Options>),
    /// Puts events in by one end of an intermediary, and awaits them at the other.
    Intermediary(Box<intermediary::Options>),
    /// Measures what goes through, how long it takes, and what it costs.
    #[command(subcommand)]
    Bench(bench::Bench),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Receiver(arguments) => receiver::run(*arguments).await.map(|()| ExitCode::SUCCESS),
        Command::Sender(options) => sender::run(*options).await,
        Command::Intermediary(options) => intermediary::run(*options).await,
        Command::Bench(what) => bench::run(what).await,
    };
    done.unwrap_or_else(|error| {
        eprintln!("cenl-conformance-live: {error:#}");
        ExitCode::from(2)
    })
}
