//! `cenl-bridge tail`: standard output around it, and the exit code.

use std::io;

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::{Cli, DONE, FAILED, INTERRUPTED, TailArguments, USAGE, refuse};
use crate::config::LogFormat;
use crate::logging;
use crate::tools::tail::{TailError, run};

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
    match run(&arguments.options, &document, &plan, io::stdout().lock()) {
        Ok(()) => DONE,
        Err(TailError::Settings(problems)) => refuse(&problems),
        Err(error @ TailError::Usage(_)) => usage(&error.to_string()),
        Err(TailError::Interrupted) => INTERRUPTED,
        Err(error) => {
            eprintln!("cenl-bridge: {error}");
            FAILED
        }
    }
}

/// Says what is wrong with the command line, in the way of the parser.
pub(super) fn usage(what: &str) -> u8 {
    let error = Cli::command().error(ErrorKind::ValueValidation, what);
    // When not even standard error takes text, the exit code must do.
    error.print().ok();
    USAGE
}
