//! A subject that nobody listens on: for a moment, or until somebody acts.

use std::cell::Cell;
use std::time::Duration;

use tokio::time::Instant;

use crate::outcome::Outcome;

/// How long a stream may be missing that never stored anything: a server that starts may not have
/// its streams yet. After that the settings are at fault.
const NEVER_SEEN: Duration = Duration::from_secs(5);
/// The same for a stream that stored an event before: the settings were right, and a cluster that
/// chooses a leader takes its time.
const SEEN: Duration = Duration::from_secs(30);

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Absence {
    /// Since when, and on which connection: an outage in between says nothing about the stream.
    since: Cell<Option<(Instant, u64)>>,
    has_stored: Cell<bool>,
}

impl Absence {
    /// Somebody answered, and the event became this.
    pub(super) fn ends(&self, outcome: &Outcome) {
        self.since.set(None);
        if matches!(outcome, Outcome::Delivered | Outcome::Duplicate) {
            self.has_stored.set(true);
        }
    }

    /// What it means that nobody listened, as this connection tells.
    pub(super) fn goes_on(&self, connection: u64) -> Outcome {
        let (since, _) = self
            .since
            .get()
            .filter(|(_, other)| *other == connection)
            .unwrap_or_else(|| (Instant::now(), connection));
        self.since.set(Some((since, connection)));
        let grace = if self.has_stored.get() {
            SEEN
        } else {
            NEVER_SEEN
        };
        if since.elapsed() < grace {
            Outcome::Unreachable("no-stream")
        } else {
            Outcome::Untrusted("no-stream")
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    const FOR_A_MOMENT: Outcome = Outcome::Unreachable("no-stream");
    const HELD: Outcome = Outcome::Untrusted("no-stream");

    async fn later(seconds: u64) {
        advance(Duration::from_secs(seconds)).await;
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_was_never_there_is_held_soon() {
        let absence = Absence::default();
        assert_eq!(absence.goes_on(1), FOR_A_MOMENT);
        later(4).await;
        assert_eq!(absence.goes_on(1), FOR_A_MOMENT);
        later(1).await;
        assert_eq!(absence.goes_on(1), HELD);
        // Somebody who answers without storing shows nothing.
        absence.ends(&Outcome::Unreachable("no-ack"));
        assert_eq!(absence.goes_on(1), FOR_A_MOMENT);
        later(5).await;
        assert_eq!(absence.goes_on(1), HELD);
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_that_stored_an_event_is_waited_for() {
        for stored in [Outcome::Delivered, Outcome::Duplicate] {
            let absence = Absence::default();
            absence.ends(&stored);
            assert_eq!(absence.goes_on(1), FOR_A_MOMENT);
            later(29).await;
            assert_eq!(absence.goes_on(1), FOR_A_MOMENT);
            later(1).await;
            assert_eq!(absence.goes_on(1), HELD);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn time_without_a_connection_does_not_count() {
        let absence = Absence::default();
        assert_eq!(absence.goes_on(1), FOR_A_MOMENT);
        later(20).await;
        assert_eq!(absence.goes_on(3), FOR_A_MOMENT);
        later(4).await;
        assert_eq!(absence.goes_on(3), FOR_A_MOMENT);
        later(1).await;
        assert_eq!(absence.goes_on(3), HELD);
    }
}
