//! The daemon. Everything it does is in the library.

#![forbid(unsafe_code)]

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cloudevents_nl_bridge::cli::main()
}
