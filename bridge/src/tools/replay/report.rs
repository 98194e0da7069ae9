//! What a replay prints: a line for each dead letter, and the counts at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;

use super::super::ledger::LetterState;
use super::super::shown::{Cause, Text};
use super::selection::DeadLetter;
use crate::admin::overview::Handled;
use crate::delivery::Received;
use crate::route::dead_letter::Explanation;
use crate::transport::view::ViewError;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ReplayStatus {
    Delivered,
    Filtered,
    Failed,
    /// Under way at the end: nobody knows whether it arrived.
    CutOff,
    /// Delivered by an earlier replay.
    Before,
    Dismissed,
    /// By an earlier command.
    DismissedBefore,
    Listed,
    WouldDismiss,
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
            Self::Dismissed => ("dismissed", "dismissed: --all sends them no more"),
            Self::DismissedBefore => ("dismissed", "dismissed earlier and left alone"),
            Self::Listed => ("would-send", "would be sent"),
            Self::WouldDismiss => ("would-dismiss", "would be dismissed"),
            Self::Unreadable => ("unreadable", "unreadable as dead letters and left alone"),
            Self::Elsewhere => ("elsewhere", "of other routes"),
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Summary {
    counts: BTreeMap<ReplayStatus, u64>,
    pub(super) missing: Vec<String>,
    pub(crate) ending: Ending,
    /// Why the checkpoints could not be written.
    pub(super) not_saved: Option<ViewError>,
    /// Done, and the checkpoints had no room to say it.
    pub(super) unnoted: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    #[default]
    Complete,
    Interrupted,
    /// Why, as a sentence.
    Stopped(String),
}

impl Summary {
    pub(super) fn add(&mut self, status: ReplayStatus) {
        *self.counts.entry(status).or_default() += 1;
    }

    pub(super) fn count(&self, status: ReplayStatus) -> u64 {
        self.counts.get(&status).copied().unwrap_or_default()
    }

    /// Of so many that were asked for.
    pub(super) fn handled(&self, asked: u64) -> Handled {
        let count = |status| self.count(status);
        let handled = Handled {
            delivered: count(ReplayStatus::Delivered),
            filtered: count(ReplayStatus::Filtered),
            failed: count(ReplayStatus::Failed) + count(ReplayStatus::CutOff),
            dismissed: count(ReplayStatus::Dismissed),
            left_alone: 0,
            stopped: match (&self.ending, &self.not_saved) {
                (Ending::Stopped(why), _) => Some(why.clone()),
                (_, Some(error)) => Some(format!("it cannot be noted: {error}")),
                _ => None,
            },
        };
        let of = [
            handled.delivered,
            handled.filtered,
            handled.failed,
            handled.dismissed,
        ];
        let left_alone = asked.saturating_sub(of.iter().sum());
        Handled {
            left_alone,
            ..handled
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        let undone = [
            ReplayStatus::Failed,
            ReplayStatus::CutOff,
            ReplayStatus::Unreadable,
        ];
        self.missing.is_empty()
            && self.not_saved.is_none()
            && self.unnoted == 0
            && self.ending == Ending::Complete
            && undone.iter().all(|&status| self.count(status) == 0)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = self.counts.iter();
        let counts = counts.map(|(status, count)| format!("{count} {}", status.words().1));
        match counts.collect::<Vec<_>>().as_slice() {
            [] => f.write_str("nothing to replay: no dead letter was there to send")?,
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
        if self.unnoted > 0 {
            write!(
                f,
                "\nthe notes had no room for {} of these among so many others, so a later --all \
                 sends them again",
                self.unnoted
            )?;
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

pub(super) struct ReplayReport {
    pub(super) summary: Summary,
    out: Box<dyn Write>,
}

impl ReplayReport {
    pub(super) fn new(out: Box<dyn Write>) -> Self {
        let summary = Summary::default();
        Self { summary, out }
    }

    pub(super) fn record(
        &mut self,
        status: ReplayStatus,
        letter: &DeadLetter,
        reason: Option<&Explanation>,
    ) {
        self.summary.add(status);
        let (position, shown, (word, _)) = (&letter.position, &letter.shown, status.words());
        let again = match (status, letter.state) {
            (ReplayStatus::Delivered, LetterState::Replayed) => " again",
            _ => "",
        };
        let why = reason.map(|reason| format!(" {}", Cause(reason)));
        let why = why.unwrap_or_default();
        writeln!(self.out, "{word}{again} {position}{why} {shown}").ok();
    }

    pub(super) fn unreadable(&mut self, status: ReplayStatus, received: &Received) {
        self.summary.add(status);
        let (position, why) = (&received.position, received.defect.unwrap_or("no-reasons"));
        let (word, why) = (status.words().0, Text(why));
        writeln!(self.out, "{word} {position} status={why}").ok();
    }
}
