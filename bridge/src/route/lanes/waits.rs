//! Pure: which lanes stand still, until when, and which of them may go on earlier.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::route::item::Stage;

/// Why a lane stands still, and how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Until then, since the start of the route.
    pub due: Duration,
    /// The moment before which it cannot end: of a `Retry-After`, or of a place that refused a dead letter.
    pub floor: Option<Duration>,
}

/// The waits of all lanes, the earliest first.
#[derive(Debug, Default)]
pub(super) struct Waits {
    all: BTreeSet<(Duration, usize)>,
    /// Those that may be cut short when others recover, by where their lanes go next, and since when.
    hurriable: BTreeMap<(Stage, Duration, usize), Duration>,
}

impl Waits {
    /// Lane `id` begins to wait.
    pub(super) fn begin(&mut self, id: usize, stage: Stage, wait: Wait, is_hurriable: bool) {
        self.all.insert((wait.due, id));
        if is_hurriable {
            let since = wait.floor.unwrap_or_default();
            self.hurriable.insert((stage, wait.due, id), since);
        }
    }

    /// Lane `id` waits no more.
    pub(super) fn end(&mut self, id: usize, stage: Stage, wait: Wait) {
        self.all.remove(&(wait.due, id));
        self.hurriable.remove(&(stage, wait.due, id));
    }

    /// When the next wait ends.
    pub(super) fn next_due(&self) -> Option<Duration> {
        self.all.first().map(|(due, _)| *due)
    }

    /// A lane whose wait is over.
    pub(super) fn over(&self, now: Duration) -> Option<usize> {
        let (due, id) = self.all.first()?;
        (*due <= now).then_some(*id)
    }

    /// The lane with the earliest wait that may be cut short now.
    pub(super) fn hurriable(&self, stage: Stage, now: Duration) -> Option<usize> {
        let rest = self.hurriable.range((stage, Duration::ZERO, 0)..);
        let mut own = rest.take_while(|((of, ..), _)| *of == stage);
        let ((_, _, id), _) = own.find(|(_, since)| **since <= now)?;
        Some(*id)
    }

    /// Every lane that waits.
    pub(super) fn ids(&self) -> impl Iterator<Item = usize> + '_ {
        self.all.iter().map(|(_, id)| *id)
    }
}
