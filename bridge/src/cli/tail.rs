//! `cenl-bridge tail`: standard output around it, and the exit code.

use std::io;

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::{Cli, DONE, FAILED, INTERRUPTED, TailArguments, USAGE, refuse};
use crate::config::LogFormat;
use crate::logging;
use crate::tail::{TailError, run};

pub(super) fn tail(arguments: &TailArguments) -> u8 {
    let (document, plan) = match arguments.config.prove() {
        Ok(proven) => proven,
        Err(problems) => return refuse(&problems),
    };
    // Of the clients only what keeps them from answering.
    let is_json = plan.log.format == LogFormat::Json;
    if let Err(error) = logging::start("warn", is_json) {
        eprintln!("cenl-bridge: {error}");
        return FAILED;
    }
    let options = &arguments.options;
    let tailed = match run(options, &document, &plan, io::stdout().lock()) {
        Ok(tailed) => tailed,
        Err(TailError::Settings(problems)) => return refuse(&problems),
        Err(error @ TailError::Usage(_)) => return usage(&error.to_string()),
        Err(error) => {
            eprintln!("cenl-bridge: {error}");
            return FAILED;
        }
    };
    let (place, read) = (&tailed.place, tailed.read);
    if let Some(id) = options.missing_id(&tailed) {
        eprintln!("cenl-bridge: no event with id {id:?} in {place}, of {read} messages read");
        return FAILED;
    }
    if tailed.is_interrupted && !options.follows() {
        return INTERRUPTED;
    }
    if tailed.shown == 0 && !options.follows() {
        eprintln!("cenl-bridge: nothing to show in {place}, of {read} messages read");
    }
    DONE
}

/// Says what is wrong with the command line, in the way of the parser.
pub(super) fn usage(what: &str) -> u8 {
    let error = Cli::command().error(ErrorKind::ValueValidation, what);
    // When not even standard error takes text, the exit code must do.
    error.print().ok();
    USAGE
}
