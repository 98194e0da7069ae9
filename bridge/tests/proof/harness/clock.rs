//! Milliseconds since the run began: how everything that happens is dated.

use std::time::Duration;

use tokio::time::Instant;

/// See the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock(Instant);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn millis(&self) -> u32 {
        u32::try_from(self.0.elapsed().as_millis()).expect("a run is shorter than 49 days")
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}
