//! `cenl-bridge convert`: the standard streams around the conversion, and the exit code.

use std::io;

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::{Cli, DONE, FAILED, USAGE};
use crate::tools::convert::{Options, run};

pub(super) fn convert(options: &Options) -> u8 {
    if let Some(problem) = options.usage_problem() {
        let error = Cli::command().error(ErrorKind::ArgumentConflict, problem);
        error.print().ok();
        return USAGE;
    }
    match run(options, io::stdout().lock(), io::stderr().lock()) {
        Ok(converted) if converted.failures == 0 => DONE,
        Ok(converted) => {
            let (events, failures) = (converted.events, converted.failures);
            eprintln!("cenl-bridge: {events} converted, {failures} failed");
            FAILED
        }
        Err(error) => {
            eprintln!("cenl-bridge: the output cannot be written: {error}");
            FAILED
        }
    }
}
