//! `cenl-bridge replay`: the standard streams around it, and the exit code.

use std::io;

use super::tail::usage;
use super::{DONE, FAILED, INTERRUPTED, ReplayArguments, refuse};
use crate::config::LogFormat;
use crate::logging;
use crate::tools::replay::{Ending, ReplayError, run};

pub(super) fn replay(arguments: &ReplayArguments) -> u8 {
    let plan = match arguments.config.prove() {
        Ok((_, plan)) => plan,
        Err(problems) => return refuse(&problems),
    };
    // What becomes of each event is on standard output.
    let is_json = plan.log.format == LogFormat::Json;
    if let Err(error) = logging::start("error", is_json) {
        eprintln!("cenl-bridge: {error}");
        return FAILED;
    }
    match run(&arguments.options, &plan, io::stdout()) {
        Ok(summary) => {
            eprintln!("cenl-bridge: {summary}");
            match summary.ending {
                Ending::Interrupted => INTERRUPTED,
                _ if summary.is_done() => DONE,
                _ => FAILED,
            }
        }
        Err(ReplayError::Usage(what)) => usage(&what),
        Err(error) => {
            eprintln!("cenl-bridge: {error}");
            FAILED
        }
    }
}
