//! What a replay says: a line for each dead letter, and a count of everything at the end.

use std::fmt;
use std::io::Write;

use super::ledger::Letter;
use crate::delivery::Received;
use crate::route::dead_letter::Explanation;
use crate::shown::Text;
use crate::transport::view::ViewError;

/// What became of the dead letters.
#[derive(Debug, Default)]
pub struct Summary {
    /// Delivered now.
    pub delivered: u64,
    /// Not wanted by the filter of the route any more, and still dead letters.
    pub filtered: u64,
    /// Failed again, and still dead letters.
    pub failed: u64,
    /// Under way when it ended, so that nobody knows whether they arrived: still dead letters.
    pub unknown: u64,
    /// Delivered by an earlier replay, and left alone.
    pub before: u64,
    /// Messages that cannot be read as a dead letter, of whichever route: left alone.
    pub unreadable: u64,
    /// Dead letters of other routes.
    pub elsewhere: u64,
    /// Would be sent, were it not for `--dry-run`.
    pub listed: u64,
    /// Ids that no dead letter of the route has.
    pub missing: Vec<String>,
    /// How it ended.
    pub ending: Ending,
    /// Why what was delivered could not be noted, so that it would be sent again.
    pub not_noted: Option<ViewError>,
}

/// How a replay ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// Every dead letter was tried.
    #[default]
    Complete,
    /// Ctrl-C.
    Interrupted,
    /// The destination refuses us, whatever the event: its answer.
    Refused(String),
    /// The destination took nothing for as long as it was given: its last answer.
    Quiet(Option<String>),
    /// More failures than can be remembered.
    Full,
    /// The dead letters could not be read to their end.
    Unreadable(ViewError),
}

impl Summary {
    /// Whether everything that was asked for is delivered, or not wanted any more.
    #[must_use]
    pub fn is_done(&self) -> bool {
        let is_quiet = self.missing.is_empty() && self.not_noted.is_none();
        is_quiet
            && self.ending == Ending::Complete
            && self.failed + self.unknown + self.unreadable == 0
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [
            (self.delivered, "delivered"),
            (
                self.filtered,
                "not wanted by the filter and stay dead letters",
            ),
            (self.failed, "failed again and stay dead letters"),
            (self.unknown, "cut off and stay dead letters"),
            (self.before, "delivered by an earlier replay and left alone"),
            (self.listed, "would be sent"),
            (self.unreadable, "unreadable as dead letters and left alone"),
            (self.elsewhere, "of other routes"),
        ];
        let said: Vec<_> = counts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{count} {what}"))
            .collect();
        match said.is_empty() {
            true => f.write_str("no dead letter was there to send")?,
            false => f.write_str(&said.join(", "))?,
        }
        for id in &self.missing {
            write!(f, "\nno dead letter of the route has the id {}", Text(id))?;
        }
        match &self.ending {
            Ending::Complete => {}
            Ending::Interrupted => f.write_str("\ninterrupted: the rest was not tried")?,
            Ending::Refused(status) => write!(
                f,
                "\nthe destination refuses the bridge, whatever the event ({status}): correct its \
                 address, credentials or rights; the rest was not tried"
            )?,
            Ending::Quiet(status) => {
                let status = status.as_deref().unwrap_or("no answer");
                let what = "the destination took nothing for the time of --deadline";
                write!(f, "\n{what} ({status}): the rest was not tried")?;
            }
            Ending::Full => f.write_str(
                "\nmore of them are not delivered than can be remembered one by one: correct the \
                 destination or the filter first; the rest was not tried",
            )?,
            Ending::Unreadable(error) => {
                write!(f, "\nthe dead letters cannot be read to their end: {error}")?;
            }
        }
        if let Some(error) = &self.not_noted {
            write!(
                f,
                "\nwhat was delivered cannot be noted, so a repeat sends it again: {error}"
            )?;
        }
        Ok(())
    }
}

/// See the module.
pub(super) struct Report<'o> {
    pub(super) summary: Summary,
    out: Box<dyn Write + 'o>,
}

impl<'o> Report<'o> {
    pub(super) fn new(out: impl Write + 'o) -> Self {
        Self {
            summary: Summary::default(),
            out: Box::new(out),
        }
    }

    pub(super) fn delivered(&mut self, letter: &Letter) {
        self.summary.delivered += 1;
        let again = if letter.was_done { " again" } else { "" };
        self.line(format_args!("delivered{again}"), letter, None);
    }

    pub(super) fn filtered(&mut self, letter: &Letter) {
        self.summary.filtered += 1;
        self.line(format_args!("filtered"), letter, None);
    }

    pub(super) fn failed(&mut self, letter: &Letter, reason: Option<&Explanation>) {
        self.summary.failed += 1;
        self.line(format_args!("failed"), letter, reason);
    }

    pub(super) fn unknown(&mut self, letter: &Letter) {
        self.summary.unknown += 1;
        self.line(format_args!("cut-off"), letter, None);
    }

    /// Says where a message lies that is no dead letter, or not a whole one.
    pub(super) fn unreadable(&mut self, received: &Received) {
        self.summary.unreadable += 1;
        let (position, why) = (&received.position, received.defect.unwrap_or("no-reasons"));
        writeln!(self.out, "unreadable {position} status={}", Text(why)).ok();
    }

    pub(super) fn listed(&mut self, letter: &Letter) {
        self.summary.listed += 1;
        self.line(
            format_args!("would-send"),
            letter,
            Some(&letter.explanation),
        );
    }

    fn line(&mut self, word: fmt::Arguments<'_>, letter: &Letter, reason: Option<&Explanation>) {
        let Letter {
            position, shown, ..
        } = letter;
        let why = reason.map_or_else(String::new, |reason| {
            let (kind, status) = (Text(&reason.kind), Text(&reason.status));
            format!(
                " kind={kind} status={status} attempts={}",
                Text(&reason.attempts)
            )
        });
        // The work goes on when nobody reads on.
        writeln!(self.out, "{word} {position}{why} {shown}").ok();
    }
}
