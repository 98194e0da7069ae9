//! What packages carry beside the program: completions and manual pages. And what a build says of itself.

use std::path::Path;

use anyhow::Context as _;
use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, DONE};
use crate::tools::print;
use crate::transport::registry::library;

/// Set by `scripts/release`.
const COMMIT: Option<&str> = option_env!("CENL_COMMIT");

/// What `--version` says below the name.
pub(super) fn version() -> String {
    let commit = COMMIT.unwrap_or("not told by this build");
    let (version, library) = (env!("CARGO_PKG_VERSION"), library());
    format!("{version}\ncommit: {commit}\n{library}")
}

pub(super) fn completions(shell: Shell) -> anyhow::Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "cenl-bridge", &mut text);
    print(String::from_utf8_lossy(&text).trim_end())?;
    Ok(DONE)
}

pub(super) fn man(directory: &Path) -> anyhow::Result<u8> {
    let failed = || format!("{}: manual pages cannot be written", directory.display());
    clap_mangen::generate_to(Cli::command(), directory).with_context(failed)?;
    Ok(DONE)
}
