//! How a benchmark was started.

/// Whether only answers are wanted: `cargo bench -- --test`, or any run that cargo did not start as
/// a benchmark.
#[must_use]
pub fn is_smoke() -> bool {
    has_flag("--test") || !has_flag("--bench")
}

/// Whether `flag` stands on the command line.
#[must_use]
pub fn has_flag(flag: &str) -> bool {
    std::env::args().any(|argument| argument == flag)
}
