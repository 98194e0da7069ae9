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

/// Whether a case of this name is wanted: all are, unless words without dashes on the command line
/// say which.
#[must_use]
pub fn wants(name: &str) -> bool {
    let mut words = std::env::args()
        .skip(1)
        .filter(|word| !word.starts_with('-'))
        .peekable();
    words.peek().is_none() || words.any(|word| name.contains(&word))
}
