//! The standard streams around each tool, and the exit code of what it found.

use std::io;

use clap::error::ErrorKind;

use super::{DONE, FAILED, Failure, INTERRUPTED, WithConfig, convert, demo, replay, tail};
use crate::config::LogFormat;
use crate::logging;
use crate::plan::Plan;
use crate::transport::view::ViewError;

pub(super) fn convert(options: &convert::Options) -> Result<u8, Failure> {
    if let Some(problem) = options.usage_problem() {
        return Err(Failure::Usage(ErrorKind::ArgumentConflict, problem.into()));
    }
    let converted = convert::run(options, io::stdout().lock(), io::stderr().lock());
    let converted = converted.map_err(|error| {
        let what = format!("the output cannot be written: {error}");
        Failure::Failed(what)
    })?;
    if converted.failures == 0 {
        return Ok(DONE);
    }
    let (events, failures) = (converted.events, converted.failures);
    Err(Failure::Failed(format!(
        "{events} converted, {failures} failed"
    )))
}

pub(super) fn demo(options: &demo::Options) -> Result<u8, Failure> {
    match demo::run(options) {
        Ok(demo::Ending::Kept) => Ok(DONE),
        Ok(demo::Ending::Broken) => Ok(FAILED),
        Ok(demo::Ending::Interrupted) => Ok(INTERRUPTED),
        Err(error) => Err(Failure::Failed(format!("{error:#}"))),
    }
}

pub(super) fn tail(arguments: &WithConfig<tail::Options>) -> Result<u8, Failure> {
    let (document, plan) = arguments.config.prove()?;
    // Of the clients only what keeps them from answering.
    start_logging(&plan, "warn")?;
    match tail::run(&arguments.options, &document, &plan, io::stdout().lock()) {
        Ok(()) => Ok(DONE),
        Err(tail::TailError::Interrupted) => Ok(INTERRUPTED),
        Err(tail::TailError::Settings(problems)) => Err(problems.into()),
        Err(tail::TailError::Usage(what)) => Err(usage(what)),
        Err(error) => Err(Failure::Failed(error.to_string())),
    }
}

pub(super) fn replay(arguments: &WithConfig<replay::Options>) -> Result<u8, Failure> {
    let (_, plan) = arguments.config.prove()?;
    // What becomes of each event is on standard output.
    start_logging(&plan, "error")?;
    match replay::run(&arguments.options, &plan, io::stdout()) {
        Ok(summary) => {
            eprintln!("cenl-bridge: {summary}");
            Ok(match summary.ending {
                replay::Ending::Interrupted => INTERRUPTED,
                _ if summary.is_done() => DONE,
                _ => FAILED,
            })
        }
        Err(replay::ReplayError::Usage(what)) => Err(usage(what)),
        Err(replay::ReplayError::View(error @ ViewError::NoNotes(_))) => {
            Err(usage(error.to_string()))
        }
        Err(error) => Err(Failure::Failed(error.to_string())),
    }
}

fn start_logging(plan: &Plan, level: &str) -> Result<(), Failure> {
    let is_json = plan.log.format == LogFormat::Json;
    logging::start(level, is_json).map_err(|error| Failure::Failed(error.to_string()))
}

fn usage(what: String) -> Failure {
    Failure::Usage(ErrorKind::ValueValidation, what)
}
