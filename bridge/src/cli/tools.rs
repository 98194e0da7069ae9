//! The standard streams around each tool, and the exit code of what it found.

use std::io;

use super::{DONE, FAILED, Failure, INTERRUPTED, WithConfig, convert, demo, replay, tail};
use crate::config::LogFormat;
use crate::logging;
use crate::plan::Plan;

pub(super) fn convert(options: &convert::Options) -> Result<u8, Failure> {
    if let Some(problem) = options.usage_problem() {
        return Err(Failure::Usage(problem.to_owned()));
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
    let (options, out) = (&arguments.options, io::stdout().lock());
    match tail::run(options, &document, &plan, out)? {
        true => Ok(INTERRUPTED),
        false => Ok(DONE),
    }
}

pub(super) fn replay(arguments: &WithConfig<replay::Options>) -> Result<u8, Failure> {
    let (_, plan) = arguments.config.prove()?;
    // What becomes of each event is on standard output.
    start_logging(&plan, "error")?;
    let summary = replay::run(&arguments.options, &plan, io::stdout())?;
    eprintln!("cenl-bridge: {summary}");
    Ok(match summary.ending {
        replay::Ending::Interrupted => INTERRUPTED,
        _ if summary.is_done() => DONE,
        _ => FAILED,
    })
}

fn start_logging(plan: &Plan, level: &str) -> Result<(), Failure> {
    let is_json = plan.log.format == LogFormat::Json;
    logging::start(level, is_json).map_err(|error| Failure::Failed(error.to_string()))
}
