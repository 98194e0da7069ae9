//! Standard streams and exit code of each tool.

use std::io;

use super::{
    DONE, FAILED, INTERRUPTED, ToolError, WithConfig, convert, demo, replay, status, tail,
};
use crate::config::{Log, LogFormat};
use crate::logging;
use crate::plan::look;

pub(super) fn convert(options: &convert::ConvertOptions) -> Result<u8, ToolError> {
    let converted = convert::run(options, io::stdout().lock(), io::stderr().lock())?;
    let (events, failures) = (converted.events, converted.failures);
    if failures == 0 {
        return Ok(DONE);
    }
    let what = format!("{events} converted, {failures} failed");
    Err(ToolError::Failed(what))
}

pub(super) fn demo(options: &demo::DemoOptions) -> Result<u8, ToolError> {
    match demo::run(options) {
        Ok(demo::DemoResult::Kept) => Ok(DONE),
        Ok(demo::DemoResult::Broken) => Ok(FAILED),
        Ok(demo::DemoResult::Interrupted) => Ok(INTERRUPTED),
        Err(error) => Err(ToolError::Failed(format!("{error:#}"))),
    }
}

pub(super) fn tail(arguments: &WithConfig<tail::TailOptions>) -> Result<u8, ToolError> {
    let document = arguments.config.load()?;
    let (log, decoder) = look::common(&document)?;
    // Only what keeps clients from answering.
    start_logging(&log, "warn")?;
    let (options, out) = (&arguments.options, io::stdout().lock());
    match tail::run(options, &document, decoder, out)? {
        true => Ok(INTERRUPTED),
        false => Ok(DONE),
    }
}

pub(super) fn status(arguments: &WithConfig<status::StatusOptions>) -> Result<u8, ToolError> {
    let listen = look::admin(&arguments.config.load()?)?;
    match status::run(&arguments.options, listen, io::stdout())? {
        true => Ok(DONE),
        false => Ok(FAILED),
    }
}

pub(super) fn replay(arguments: &WithConfig<replay::ReplayOptions>) -> Result<u8, ToolError> {
    let (_, plan) = arguments.config.prove()?;
    // What becomes of each event is on standard output.
    let level = match arguments.options.dismiss {
        true => "warn",
        false => "error",
    };
    start_logging(&plan.log, level)?;
    let summary = replay::run(&arguments.options, &plan, io::stdout())?;
    eprintln!("cenl-bridge: {summary}");
    Ok(match summary.ending {
        replay::Ending::Interrupted => INTERRUPTED,
        _ if summary.is_done() => DONE,
        _ => FAILED,
    })
}

fn start_logging(log: &Log, level: &str) -> Result<(), ToolError> {
    let is_json = log.format == LogFormat::Json;
    logging::start(level, is_json).map_err(|error| ToolError::Failed(error.to_string()))
}
