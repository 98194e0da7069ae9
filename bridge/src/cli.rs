//! The commands, their options and their exit codes.

use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};

use cloudevents_nl_bridge::{convert, demo};

/// What was asked for cannot be understood: `EX_USAGE`.
const USAGE: u8 = 64;

/// What shells say of a command that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

/// Carries CloudEvents between Kafka topics and webhooks without losing one.
#[derive(Debug, Parser)]
#[command(name = "cenl-bridge", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Read messages and write them in another mode
    ///
    /// Input is one document per line: a JSON event, or a message
    /// {"protocol": "kafka|http|nats", "headers": [[name, value]], "body_base64": "…"}.
    /// An event may span lines if its first one holds only "{". Exit code 1: some input failed.
    Convert(convert::Options),
    /// Show the bridge at work on this machine, and check that nothing is lost
    ///
    /// Ends by itself in under a minute. Exit code 1: an event is not where it belongs, or something
    /// that the demo needs cannot be had.
    Demo(demo::Options),
}

/// Does what the arguments say.
pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(problem) => return usage(&problem),
    };
    match cli.command {
        Command::Convert(options) => {
            if let Some(problem) = options.usage_problem() {
                return usage(&Cli::command().error(ErrorKind::ArgumentConflict, problem));
            }
            convert(&options)
        }
        Command::Demo(options) => Ok(match demo::run(&options)? {
            demo::Ending::Kept => ExitCode::SUCCESS,
            demo::Ending::Broken => ExitCode::FAILURE,
            demo::Ending::Interrupted => ExitCode::from(INTERRUPTED),
        }),
    }
}

fn usage(problem: &clap::Error) -> anyhow::Result<ExitCode> {
    problem.print()?;
    Ok(match problem.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => ExitCode::SUCCESS,
        _ => ExitCode::from(USAGE),
    })
}

fn convert(options: &convert::Options) -> anyhow::Result<ExitCode> {
    let converted = convert::run(options, io::stdout().lock(), io::stderr().lock())?;
    if converted.failures == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    anyhow::bail!(
        "{} converted, {} failed",
        converted.events,
        converted.failures
    )
}
