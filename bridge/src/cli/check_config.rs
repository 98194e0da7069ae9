//! `cenl-bridge check-config`

use super::{ConfigFile, DONE, refuse};

/// Prints what the settings come to, or all that is wrong with them.
pub(super) fn check(config: &ConfigFile) -> u8 {
    match config.prove() {
        Ok((document, plan)) => {
            print!("{plan}\n{document}");
            DONE
        }
        Err(problems) => refuse(&problems),
    }
}
