//! The bridge as `bridge/src/main.rs` has it, but for the rule that is broken.

#![forbid(unsafe_code)]

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cloudevents_nl_bridge_broken::cli::main()
}
