//! The one place that reads the clock of the machine.

use std::time::Duration;
#[allow(clippy::disallowed_types, reason = "a benchmark measures real time")]
use std::time::Instant;

/// Runs `work` once and says how long it took.
#[allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "a benchmark measures real time"
)]
pub fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
