//! Waiting for a condition, never for a time.

use std::time::Duration;

use tokio::time::{Instant, sleep};

/// Long enough for anything that should happen soon, on a busy machine too.
pub(crate) const SOON: Duration = Duration::from_secs(60);

/// Looks until `look` finds something.
///
/// # Panics
/// When it has found nothing at the deadline; `what` says what was waited for.
pub(crate) async fn eventually<T>(
    what: &str,
    deadline: Duration,
    mut look: impl AsyncFnMut() -> Option<T>,
) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = look().await {
            return found;
        }
        assert!(
            started.elapsed() < deadline,
            "waited {deadline:?} in vain: {what}"
        );
        sleep(Duration::from_millis(10)).await;
    }
}

/// Waits until `holds` says yes.
///
/// # Panics
/// As [`eventually`].
pub(crate) async fn until(what: &str, deadline: Duration, mut holds: impl FnMut() -> bool) {
    eventually(what, deadline, async || holds().then_some(())).await;
}
