//! `cenl-bridge demo`: the exit code of what it found.

use super::{DONE, FAILED, INTERRUPTED};
use crate::tools::demo::{Ending, Options, run};

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
