//! What a replay prints: a line for each dead letter, and the counts at the end.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Write;

use super::super::is_taken;
use super::super::ledger::LetterState;
use super::super::shown::{Text, cause};
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
pub(super) struct Summary {
    counts: BTreeMap<ReplayStatus, u64>,
    pub(super) missing: Vec<String>,
    pub(super) ending: Ending,
    /// Why the checkpoints could not be written.
    pub(super) not_saved: Option<ViewError>,
    /// Done, and the checkpoints had no room to say it.
    pub(super) unnoted: u64,
    /// Why not every line is on standard output.
    not_shown: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Ending {
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
        use ReplayStatus as Status;
        let others = [Status::Elsewhere, Status::Unreadable];
        let known = self.counts.iter().filter(|(it, _)| !others.contains(it));
        let known = known.map(|(_, count)| count).sum();
        let troubles = self.troubles();
        Handled {
            delivered: self.count(Status::Delivered),
            filtered: self.count(Status::Filtered),
            failed: self.count(Status::Failed),
            cut_off: self.count(Status::CutOff),
            dismissed: self.count(Status::Dismissed),
            left_alone: self.count(Status::Before) + self.count(Status::DismissedBefore),
            not_tried: asked.saturating_sub(known),
            stopped: (!troubles.is_empty()).then(|| troubles.join("; ")),
        }
    }

    /// Each as a sentence.
    fn troubles(&self) -> Vec<String> {
        let missing = self.missing.iter();
        let missing =
            missing.map(|id| format!("no dead letter of the route has the id {}", Text(id)));
        let ending = match &self.ending {
            Ending::Complete => None,
            Ending::Interrupted => Some("interrupted: the rest was not tried".to_owned()),
            Ending::Stopped(why) => Some(why.clone()),
        };
        let unnoted = (self.unnoted > 0).then(|| {
            let count = self.unnoted;
            format!(
                "the notes had no room for {count} of these among so many others, so a later --all \
                 sends them again"
            )
        });
        let not_saved = self.not_saved.as_ref().map(|error| {
            format!("what was delivered may not be noted, so a repeat may send it again: {error}")
        });
        let troubles = missing.chain(ending).chain(unnoted).chain(not_saved);
        troubles.chain(self.not_shown.clone()).collect()
    }

    pub(super) fn is_done(&self) -> bool {
        use ReplayStatus as Status;
        let mut undone = [Status::Failed, Status::CutOff, Status::Unreadable].into_iter();
        self.troubles().is_empty() && undone.all(|status| self.count(status) == 0)
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
        let mut troubles = self.troubles().into_iter();
        troubles.try_for_each(|trouble| write!(f, "\n{trouble}"))
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
        let (position, shown, (word, _)) = (&letter.position, &letter.shown.line, status.words());
        let again = match (status, letter.state) {
            (ReplayStatus::Delivered, LetterState::Replayed) => " again",
            _ => "",
        };
        let why = reason.map(|reason| format!(" {}", cause(reason)));
        let why = why.unwrap_or_default();
        self.show(format_args!("{word}{again} {position}{why} {shown}"));
    }

    pub(super) fn unreadable(&mut self, status: ReplayStatus, received: &Received) {
        self.summary.add(status);
        let (position, why) = (&received.position, received.defect.unwrap_or("no-reasons"));
        let (word, why) = (status.words().0, Text(why));
        self.show(format_args!("{word} {position} status={why}"));
    }

    fn show(&mut self, line: fmt::Arguments<'_>) {
        if let Err(error) = is_taken(writeln!(self.out, "{line}")) {
            self.summary.not_shown = Some(format!("{error:#}"));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::fs::File;
    use std::io::pipe;

    use super::*;

    #[test]
    fn lines_that_are_not_taken_are_told_unless_their_reader_went_away() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (reader, left) = pipe().unwrap();
        drop(reader);
        let outs: [(Box<dyn Write>, bool); 2] = [(Box::new(full), false), (Box::new(left), true)];
        for (out, is_done) in outs {
            let mut report = ReplayReport::new(out);
            report.show(format_args!("delivered"));
            let said = report.summary.to_string();
            assert_eq!(report.summary.is_done(), is_done, "{said}");
            assert_eq!(said.contains("the output cannot be written"), !is_done);
        }
    }
}
