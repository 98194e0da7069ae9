//! `cenl-bridge demo`: the exit code of what it found.

use super::{DONE, FAILED};
use crate::demo::{Ending, Options, run};

/// What shells say of a command that Ctrl-C ended.
const INTERRUPTED: u8 = 130;

pub(super) fn demo(options: &Options) -> u8 {
    match run(options) {
        Ok(Ending::Kept) => DONE,
        Ok(Ending::Broken) => FAILED,
        Ok(Ending::Interrupted) => INTERRUPTED,
        Err(error) => {
            eprintln!("cenl-bridge: {error}");
            FAILED
        }
    }
}
