//! The binary: parses the command, runs it, answers with an exit code.

#![forbid(unsafe_code)]

mod cli;

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    cli::run().unwrap_or_else(|error| {
        eprintln!("cenl-bridge: {error:#}");
        ExitCode::FAILURE
    })
}
