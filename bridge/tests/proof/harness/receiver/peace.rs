//! Whether a `Retry-After` is honoured. Each process posts to a path of its own, so that a new one
//! is not blamed for what its predecessor was told.

use std::time::Duration;

use tokio::time::Instant;

use super::Counts;

/// What one process was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peace {
    /// When the last such answer was given, and until when it asked for peace.
    given: Instant,
    over: Instant,
    /// Requests that may have crossed it.
    crossing: usize,
}

/// A request that comes so soon after the answer may have been on the wire, in a proxy or in the
/// receiver's own queue before the bridge could have read it.
const CROSSING: Duration = Duration::from_millis(500);
/// Of such requests there can be no more than the bridge has in flight beside the answered one.
const CROSSING_MOST: usize = 63;

impl Peace {
    /// Judges a request that came now.
    pub(super) fn judge(peace: Option<&mut Self>, counts: &mut Counts) {
        let now = Instant::now();
        let Some(peace) = peace.filter(|peace| now < peace.over) else {
            return;
        };
        if now < peace.given + CROSSING && peace.crossing < CROSSING_MOST {
            peace.crossing += 1;
            counts.crossed += 1;
        } else {
            counts.hurried += 1;
            println!(
                "a request came {:?} after an answer with Retry-After, {:?} too early",
                now - peace.given,
                peace.over - now,
            );
        }
    }

    /// Another answer with `Retry-After` was given.
    pub(super) fn ask(before: Option<&Self>, until: Instant) -> Self {
        let given = Instant::now();
        let over = before.map_or(until, |before| before.over.max(until));
        Self {
            given,
            over,
            crossing: 0,
        }
    }
}
