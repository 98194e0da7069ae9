//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

/// Checks CloudEvents software against cases that are written down.
#[derive(Debug, Parser)]
#[command(
    version,
    after_help = "Exit codes: 0 all cases met, 1 some are not, 2 no verdict could be reached."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the codec against a folder of vector files and print what differs
    #[command(after_long_help = "\
Every *.json file in DIR is one vector file (format cloudevents-nl-vectors/1, told in the README \
beside the vectors). Each difference is printed with its file, its case, what the case expects and \
what the codec gave. Cases that only rules can decide are counted as not judged. The last line is \
\"N passed, M failed\".

Examples:
  cenl-conformance vectors conformance/vectors
  cenl-conformance vectors conformance/vectors --not-met conformance/vectors-not-met.json")]
    Vectors {
        /// Folder with vector files
        dir: PathBuf,
        /// File that lists cases known not to be met, each with a reason; a listed case that is met
        /// is a failure
        #[arg(long, value_name = "FILE")]
        not_met: Option<PathBuf>,
    },
}
