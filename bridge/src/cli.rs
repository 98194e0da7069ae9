//! The command line: what `cenl-bridge` is told, and the exit code it leaves.

mod check_connections;
mod help;
mod packaging;
mod run;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use tokio::time::timeout;

use crate::config::{Document, Problems};
use crate::logging;
use crate::plan::{self, Plan};
use crate::tools::{
    DONE, FAILED, ToolError, block_on, convert, demo, is_taken, print, replay, status, tail,
};
use crate::transport::registry::{TRANSPORTS, closed, connection_names};
use help::{
    CHECK_CONFIG_HELP, COMPLETIONS_HELP, LONG_HELP, REPLAY_HELP, RUN_HELP, SCHEMA_HELP,
    STATUS_HELP, TAIL_HELP, TAIL_USAGE,
};

/// `EX_USAGE` of sysexits.
const USAGE: u8 = 64;

/// For clients at the end: brokers that never answer may hold them.
const CLOSE_MAX: Duration = Duration::from_secs(2);

/// Carries CloudEvents between Kafka, NATS and webhooks without losing one.
#[derive(Debug, Parser)]
#[command(name = "cenl-bridge", version, long_version = packaging::version(), after_help = LONG_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Carry events until told to stop (SIGTERM or ctrl-c), then drain
    #[command(after_help = RUN_HELP)]
    Run(ConfigFile),
    /// Prove the settings: print what they come to, or every problem at once
    #[command(after_help = CHECK_CONFIG_HELP)]
    CheckConfig(CheckConfig),
    /// Say how the running bridge and its routes are
    #[command(after_help = STATUS_HELP)]
    Status(WithConfig<status::StatusOptions>),
    /// Print the JSON Schema of the settings file: every key, with its meaning and default
    #[command(after_help = SCHEMA_HELP)]
    Schema,
    /// Show the bridge at work on this machine, and look for every event at the end
    ///
    /// Ends by itself in under a minute. Exit code 1 also means that an event was not found where
    /// it belongs, 130 that ctrl-c ended it.
    Demo(demo::DemoOptions),
    /// Show what lies in a topic or subject, or among dead letters, without taking part
    #[command(after_help = TAIL_HELP, override_usage = TAIL_USAGE)]
    Tail(WithConfig<tail::TailOptions>),
    /// Send the dead letters of a route again, and say what became of each
    #[command(after_help = REPLAY_HELP)]
    Replay(WithConfig<replay::ReplayOptions>),
    /// Read messages and write them in another mode
    ///
    /// Input is one document per line: a JSON event, or a message
    /// {"protocol": "kafka|http|nats", "headers": [[name, value]], "body_base64": "…"}.
    /// An event may span lines if its first one holds only "{". Data is written as it was read, but
    /// for line breaks between its tokens, which become spaces. Lines at fault are reported with
    /// file, line and place; the rest is converted, and the exit code is 1. An event that is not
    /// closed ends before the next line that can only begin another one.
    Convert(convert::ConvertOptions),
    /// Print what completes these commands in a shell
    #[command(after_help = COMPLETIONS_HELP)]
    Completions { shell: Shell },
    /// Write a manual page for each command
    Man {
        /// The directory, which must exist
        directory: PathBuf,
    },
}

#[derive(Clone, Debug, Args)]
struct ConfigFile {
    /// The settings, in TOML
    #[arg(long, short, value_name = "FILE")]
    config: PathBuf,
}

#[derive(Debug, Args)]
struct CheckConfig {
    #[command(flatten)]
    config: ConfigFile,
    /// Also ask brokers and receivers, one line for each thing asked
    #[arg(long)]
    check_connections: bool,
}

#[derive(Debug, Args)]
struct WithConfig<O: Args> {
    #[command(flatten)]
    config: ConfigFile,
    #[command(flatten)]
    options: O,
}

impl ConfigFile {
    fn load(&self) -> Result<Document, Problems> {
        let connections: Vec<_> = connection_names(TRANSPORTS).collect();
        Document::load(&self.config, std::env::vars_os(), &connections)
    }

    fn prove(&self) -> Result<(Document, Plan), Problems> {
        let document = self.load()?;
        let plan = Plan::prove(&document, TRANSPORTS)?;
        Ok((document, plan))
    }
}

pub fn main() -> ExitCode {
    let _flush = logging::Flush;
    let done = match Cli::try_parse() {
        Ok(cli) => carry_out(cli.command),
        Err(error) if error.use_stderr() => {
            error.print().ok();
            Ok(USAGE)
        }
        Err(help) => is_taken(help.print()).map(|_| DONE).map_err(Into::into),
    };
    // Where standard error takes no text, the exit code must do.
    let code = done.unwrap_or_else(|failure| match failure {
        ToolError::Settings(problems) => {
            writeln!(io::stderr(), "{problems}").ok();
            USAGE
        }
        ToolError::Usage(what) => {
            let error = Cli::command().error(ErrorKind::ValueValidation, what);
            error.print().ok();
            USAGE
        }
        ToolError::Failed(what) | ToolError::Taken(what) => {
            logging::say(what);
            FAILED
        }
    });
    let closed = block_on(async { timeout(CLOSE_MAX, closed()).await.is_ok() });
    if !closed.unwrap_or(false) {
        tracing::warn!("clients that brokers do not answer are still open as the process ends");
    }
    ExitCode::from(code)
}

fn carry_out(command: Command) -> Result<u8, ToolError> {
    match command {
        Command::Run(config) => run::run(&config),
        Command::CheckConfig(arguments) => {
            let (document, plan) = arguments.config.prove()?;
            print(&plan)?;
            match arguments.check_connections {
                true => check_connections::check(&document, &plan),
                false => Ok(DONE),
            }
        }
        Command::Status(it) => status::run(&it.options, &it.config.load()?),
        Command::Schema => {
            print(format_args!("{:#}", plan::schema(TRANSPORTS)))?;
            Ok(DONE)
        }
        Command::Demo(options) => demo::run(&options),
        Command::Tail(it) => tail::run(&it.options, &it.config.load()?),
        Command::Replay(it) => replay::run(&it.options, &it.config.prove()?.1),
        Command::Convert(options) => convert::run(&options),
        Command::Completions { shell } => Ok(packaging::completions(shell)?),
        Command::Man { directory } => Ok(packaging::man(&directory)?),
    }
}
