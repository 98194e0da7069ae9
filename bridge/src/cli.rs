//! The command line: what `cenl-bridge` is told, and the exit code it leaves.

mod check_config;
mod convert;
mod demo;
mod replay;
mod run;
mod tail;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

use crate::config::{Document, Problems};
use crate::plan::{self, Plan};
use crate::tools::INTERRUPTED;
use crate::transport::registry::{TRANSPORTS, connection_names};

/// Exit code of everything that went well.
const DONE: u8 = 0;
/// Exit code when the work could not be started, or ended by itself.
const FAILED: u8 = 1;
/// Exit code of a wrong command line or wrong settings: `EX_USAGE` of sysexits.
const USAGE: u8 = 64;

const LONG_HELP: &str = "\
Examples:
  cenl-bridge demo
  cenl-bridge check-config --config config/bridge.toml
  cenl-bridge run --config config/bridge.toml
  cenl-bridge tail --config config/bridge.toml --route zaken-to-webhook --id 5f1c
  cenl-bridge replay --config config/bridge.toml --route zaken-to-webhook --all
  CENL__KAFKA__MAIN__BROKERS=kafka:9092 cenl-bridge run --config config/bridge.toml

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says; see config/README.md.

Exit codes:
  0   the work was done, or was stopped and drained
  1   the work could not be started, ended by itself, or was cut off
  64  the command line or the settings are wrong; nothing was started";

const RUN_HELP: &str = "\
Examples:
  cenl-bridge run --config config/bridge.toml
  CENL__LOG__FORMAT=json cenl-bridge run --config config/bridge.toml

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says, but for routes:
  CENL__KAFKA__MAIN__BROKERS is `brokers` of [kafka.main]. See config/README.md.

Signals:
  SIGTERM, SIGINT  take nothing more, finish what is in flight until [limits] shutdown_deadline,
                   commit and leave; what is left is delivered after the next start
  a second one     leave at once

Health and metrics: /livez, /readyz and /metrics on [admin] listen. Logs go to standard error.

Exit codes:
  0   stopped by a signal, and left in order
  1   a port, file or client could not be had, every route ended by itself, or the end was cut off
  64  the command line or the settings are wrong; nothing was started";

const CHECK_CONFIG_HELP: &str = "\
Opens no port and no connection. Files and variables that hold secrets are read, and never shown.

Examples:
  cenl-bridge check-config --config config/bridge.toml
  CENL__ADMIN__LISTEN=127.0.0.1:9000 cenl-bridge check-config --config config/bridge.toml

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says; see config/README.md.

Exit codes:
  0   the settings are sound; what they come to is on standard output
  64  the command line or the settings are wrong; every problem is on standard error, with its
      line or variable, its key and value, and a remedy";

const SCHEMA_HELP: &str = "\
For editors that complete and check TOML by a schema (taplo, Even Better TOML). check-config knows
more: what settings mean together, and whether files and properties serve.

Examples:
  cenl-bridge schema > bridge.schema.json

In the settings file, as its first line:
  #:schema ./bridge.schema.json

Exit codes:
  0   the schema is on standard output
  1   standard output took no more";

const TAIL_USAGE: &str = "\
cenl-bridge tail --config <FILE> --route <NAME> [OPTIONS]
       cenl-bridge tail --config <FILE> --kafka <NAME> --topic <TOPIC> [OPTIONS]
       cenl-bridge tail --config <FILE> --nats <NAME> --subject <SUBJECT> [OPTIONS]
       cenl-bridge tail --config <FILE> --dead-letters <ROUTE> [OPTIONS]";

const TAIL_HELP: &str = "\
One line per message: time, position, type, source, id, mode and size in bytes; of dead letters the
time at which they died, and the kind, status, attempts, route and first position. Neither data nor
subject is shown, unless you ask for whole messages with --show capture. A message that is no event
is shown with what is wrong in it. Messages come in the order of each partition.

It takes part in nothing: it joins no group, commits no offset and leaves nothing behind.

Examples:
  cenl-bridge tail --config bridge.toml --route zaken-to-webhook --id 5f1c
  cenl-bridge tail --config bridge.toml --route zaken-to-webhook --follow
  cenl-bridge tail --config bridge.toml --kafka main --topic zaken --since 10m --count 20
  cenl-bridge tail --config bridge.toml --dead-letters zaken-to-webhook --since 24h
  cenl-bridge tail --config bridge.toml --dead-letters zaken-to-webhook --id 5f1c --show capture |
    cenl-bridge convert --to structured

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says; see config/README.md.

Exit codes:
  0   all was shown up to the end that was there at the start; or --count messages; or ctrl-c ended
      --follow; or the reader of standard output went away
  1   the place could not be read, or there is no event with the id of --id
  64  the command line or the settings are wrong
  130 ctrl-c ended it before the end";

const REPLAY_HELP: &str = "\
Each dead letter becomes the message that was first received, and goes the way of the route as its
settings are now: filter, mode, retries. One line on standard output says what became of it:
delivered, filtered (not wanted any more; it stays a dead letter), failed (with the reason; it stays
one too, and is not written a second time), cut-off, or unreadable (it is no dead letter, or not a
whole one, and is left alone). Correct the cause before you replay.

It is safe to repeat. What was delivered is noted beside the dead letters: for a Kafka topic as what
the group cenl-replay-ROUTE has committed. So --all sends what no replay has delivered; --id sends
what you name, also again. When events of several sources have one id, --source says which is meant.
A crash or ctrl-c loses nothing: what is not noted is sent again, with the same source and id. A
second replay of a route is refused while one runs; the bridge may run beside it.

Examples:
  cenl-bridge replay --config bridge.toml --route zaken-to-webhook --all --dry-run
  cenl-bridge replay --config bridge.toml --route zaken-to-webhook --all
  cenl-bridge replay --config bridge.toml --route zaken-to-webhook --id 5f1c 5f1d

Environment:
  CENL__TABLE__KEY sets a key of a table, over what the file says; see config/README.md.

Exit codes:
  0   everything that was asked for is delivered, or not wanted by the filter any more
  1   something failed again, was not tried, not readable or not found; standard error says which
  64  the command line or the settings are wrong; nothing was sent
  130 ctrl-c ended it; a second one ends it at once";

/// Carries CloudEvents between Kafka topics and webhooks without losing one.
#[derive(Debug, Parser)]
#[command(name = "cenl-bridge", version, after_help = LONG_HELP)]
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
    CheckConfig(ConfigFile),
    /// Print the JSON Schema of the settings file: every key, with its meaning and default
    #[command(after_help = SCHEMA_HELP)]
    Schema,
    /// Show the bridge at work on this machine, and look for every event at the end
    ///
    /// Ends by itself in under a minute. Exit code 1 also means that an event was not found where
    /// it belongs, 130 that ctrl-c ended it.
    Demo(crate::tools::demo::Options),
    /// Show what lies in a topic or subject, or among dead letters, without taking part
    #[command(after_help = TAIL_HELP, override_usage = TAIL_USAGE)]
    Tail(TailArguments),
    /// Send the dead letters of a route again, and say what became of each
    #[command(after_help = REPLAY_HELP)]
    Replay(ReplayArguments),
    /// Read messages and write them in another mode
    ///
    /// Input is one document per line: a JSON event, or a message
    /// {"protocol": "kafka|http|nats", "headers": [[name, value]], "body_base64": "…"}.
    /// An event may span lines if its first one holds only "{". Data is written as it was read, but
    /// for line breaks between its tokens, which become spaces. Lines at fault are reported with
    /// file, line and place; the rest is converted, and the exit code is 1.
    Convert(crate::tools::convert::Options),
}

#[derive(Debug, Args)]
struct ConfigFile {
    /// The settings, in TOML
    #[arg(long, short, value_name = "FILE")]
    config: PathBuf,
}

#[derive(Debug, Args)]
struct TailArguments {
    #[command(flatten)]
    config: ConfigFile,
    #[command(flatten)]
    options: crate::tools::tail::Options,
}

#[derive(Debug, Args)]
struct ReplayArguments {
    #[command(flatten)]
    config: ConfigFile,
    #[command(flatten)]
    options: crate::tools::replay::Options,
}

impl ConfigFile {
    /// The settings of the file and the environment, and the plan they make.
    fn prove(&self) -> Result<(Document, Plan), Problems> {
        let connections: Vec<_> = connection_names(TRANSPORTS).collect();
        let document = Document::load(&self.config, std::env::vars_os(), &connections)?;
        let plan = Plan::prove(&document, TRANSPORTS)?;
        Ok((document, plan))
    }
}

/// Does what the arguments of the process say.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::from(match Cli::try_parse() {
        Ok(cli) => match cli.command {
            Command::Run(config) => run::run(&config),
            Command::CheckConfig(config) => check_config::check(&config),
            Command::Schema => schema(),
            Command::Demo(options) => demo::demo(&options),
            Command::Tail(arguments) => tail::tail(&arguments),
            Command::Replay(arguments) => replay::replay(&arguments),
            Command::Convert(options) => convert::convert(&options),
        },
        Err(error) => {
            // When not even standard error takes text, the exit code must do.
            error.print().ok();
            if error.use_stderr() { USAGE } else { DONE }
        }
    })
}

fn schema() -> u8 {
    match writeln!(io::stdout(), "{:#}", plan::schema(TRANSPORTS)) {
        Ok(()) => DONE,
        Err(_) => FAILED,
    }
}

/// Prints every problem; what the exit code is then.
fn refuse(problems: &Problems) -> u8 {
    eprintln!("{problems}");
    USAGE
}
