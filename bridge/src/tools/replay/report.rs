//! What a replay says: a line for each dead letter, and a count of everything at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;

use super::super::shown::{Cause, Text};
use super::selection::DeadLetter;
use crate::delivery::Received;
use crate::route::dead_letter::Explanation;
use crate::transport::view::ViewError;

/// What became of a dead letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReplayStatus {
    Delivered,
    Filtered,
    Failed,
    /// Under way when it ended, so that nobody knows whether it arrived.
    CutOff,
    /// Delivered by an earlier replay.
    Before,
    /// Would be sent, were it not for `--dry-run`.
    Listed,
    /// Of whichever route.
    Unreadable,
    Elsewhere,
}

impl ReplayStatus {
    /// The word on its line, and what is said of all together.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Delivered => ("delivered", "delivered"),
            Self::Filtered => ("filtered", "not wanted by the filter and stay dead letters"),
            Self::Failed => ("failed", "failed again and stay dead letters"),
            Self::CutOff => ("cut-off", "cut off and stay dead letters"),
            Self::Before => ("before", "delivered by an earlier replay and left alone"),
            Self::Listed => ("would-send", "would be sent"),
            Self::Unreadable => ("unreadable", "unreadable as dead letters and left alone"),
            Self::Elsewhere => ("elsewhere", "of other routes"),
        }
    }
}

/// What became of the dead letters.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    counts: BTreeMap<ReplayStatus, u64>,
    /// Ids that no dead letter of the route has.
    pub(super) missing: Vec<String>,
    pub(crate) ending: Ending,
    /// Why what was delivered could not be noted, so that it would be sent again.
    pub(super) not_saved: Option<ViewError>,
}

/// How a replay ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    /// Every dead letter was tried.
    #[default]
    Complete,
    /// Ctrl-C.
    Interrupted,
    /// Before its end: why, as a sentence.
    Stopped(String),
}

impl Summary {
    pub(super) fn add(&mut self, status: ReplayStatus) {
        *self.counts.entry(status).or_default() += 1;
    }

    pub(super) fn count(&self, status: ReplayStatus) -> u64 {
        self.counts.get(&status).copied().unwrap_or_default()
    }

    /// Whether everything that was asked for is delivered, or not wanted any more.
    pub(crate) fn is_done(&self) -> bool {
        let undone = [
            ReplayStatus::Failed,
            ReplayStatus::CutOff,
            ReplayStatus::Unreadable,
        ];
        self.missing.is_empty()
            && self.not_saved.is_none()
            && self.ending == Ending::Complete
            && undone.iter().all(|&status| self.count(status) == 0)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts.iter();
        let counts = counts.map(|(status, count)| format!("{count} {}", status.words().1));
        match counts.collect::<Vec<_>>().as_slice() {
            [] => f.write_str("no dead letter was there to send")?,
            counts => f.write_str(&counts.join(", "))?,
        }
        for id in &self.missing {
            write!(f, "\nno dead letter of the route has the id {}", Text(id))?;
        }
        match &self.ending {
            Ending::Complete => {}
            Ending::Interrupted => f.write_str("\ninterrupted: the rest was not tried")?,
            Ending::Stopped(why) => write!(f, "\n{why}")?,
        }
        match &self.not_saved {
            Some(error) => write!(
                f,
                "\nwhat was delivered cannot be noted, so a repeat sends it again: {error}"
            ),
            None => Ok(()),
        }
    }
}

/// The summary so far, and where each line goes.
pub(super) struct ReplayReport {
    pub(super) summary: Summary,
    out: Box<dyn Write>,
}

impl ReplayReport {
    pub(super) fn new(out: Box<dyn Write>) -> Self {
        let summary = Summary::default();
        Self { summary, out }
    }

    /// Says what became of a dead letter, and why.
    pub(super) fn tell(
        &mut self,
        status: ReplayStatus,
        letter: &DeadLetter,
        reason: Option<&Explanation>,
    ) {
        self.summary.add(status);
        let (position, shown, (word, _)) = (&letter.position, &letter.shown, status.words());
        let again = match status == ReplayStatus::Delivered && letter.was_done {
            true => " again",
            false => "",
        };
        let why = reason.map(|reason| format!(" {}", Cause(reason)));
        let why = why.unwrap_or_default();
        // The work goes on when nobody reads on.
        writeln!(self.out, "{word}{again} {position}{why} {shown}").ok();
    }

    /// Says where a message lies that is no dead letter, or not a whole one.
    pub(super) fn unreadable(&mut self, received: &Received) {
        self.summary.add(ReplayStatus::Unreadable);
        let (position, why) = (&received.position, received.defect.unwrap_or("no-reasons"));
        writeln!(self.out, "unreadable {position} status={}", Text(why)).ok();
    }
}
