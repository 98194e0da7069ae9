//! What was found, as data; how it looks is `render`'s.

mod ledger;
mod position;
mod redacted;
mod tally;
mod whole;

use std::cmp::Ordering;
use std::fmt;

use crate::capture::{Protocol, Purpose};
use crate::reading::{Mode, Reading};
use crate::rule::{Level, Profile, Rule, Status};

pub(crate) use ledger::{Breach, Ledger};
pub use ledger::{Broken, MOST_PER_RULE};
pub use position::Position;
pub(crate) use position::locate;
pub(crate) use tally::Fate;
pub use tally::{Row, Tally};
pub use whole::{
    Counts, Declared, EventName, FailOn, Input, NotTried, Outcome, Problem, Report, Reported, Skip,
    Skipped, Waived,
};

/// One breach of one rule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The rule, with its texts: what it demands, why, and how to fix it.
    pub rule: &'static Rule,
    /// How much it counts.
    pub severity: Severity,
    /// Whether the codec hands out no event because of it.
    pub refuses: bool,
    /// Which side of an exchange.
    pub part: Part,
    /// Which element of a batch, from 0.
    pub element: Option<usize>,
    /// Where.
    pub place: Place,
    /// Where in the body it begins, in bytes, when it lies there.
    pub offset: Option<usize>,
    /// The line and the column of that.
    pub position: Option<Position>,
    /// What stood there, escaped and shortened.
    pub seen: String,
}

/// How much a finding counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing: the rule is a draft, or the breach is one by a reading that others do not share.
    Notice,
    /// A SHOULD or SHOULD NOT is broken.
    Warning,
    /// A MUST or MUST NOT is broken, or no event can be read.
    Error,
}

impl Severity {
    /// How much a breach of a rule counts, `None` when the profile does not have the rule or lets
    /// senders choose. A message without an event fails, whatever the rule that says so.
    pub(crate) fn of(rule: &Rule, profile: Profile, refuses: bool) -> Option<Self> {
        match rule.level.of(profile)? {
            _ if refuses => Some(Self::Error),
            Level::May => None,
            _ if rule.status == Status::Draft => Some(Self::Notice),
            level if level.is_must() => Some(Self::Error),
            _ => Some(Self::Warning),
        }
    }
}

/// Which message of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// The message, or the request of an exchange.
    Message,
    /// The response of an exchange.
    Response,
}

/// Where in a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Place {
    /// The message as a whole.
    Message,
    /// The method of a request.
    Method,
    /// The target of a request.
    Target,
    /// The status of a response.
    Status,
    /// A header, by its name.
    Header(String),
    /// The body, where nothing in it has a name.
    Body,
    /// A member of a JSON body: a JSON pointer (RFC 6901).
    Member(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Message => f.write_str("message"),
            Self::Method => f.write_str("method"),
            Self::Target => f.write_str("target"),
            Self::Status => f.write_str("status"),
            Self::Header(name) => write!(f, "header {}", shorten(name)),
            Self::Body => f.write_str("body"),
            Self::Member(pointer) if pointer.is_empty() => f.write_str("/"),
            Self::Member(pointer) => f.write_str(pointer),
        }
    }
}

/// The judgement on a message, a rule or a whole input, from mild to severe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The rule is about other messages.
    NotApplicable,
    /// No message can break the rule, so messages show nothing of whether it is met.
    NotShown,
    /// Only a document can show it.
    ToBeDeclared,
    /// Nothing is broken.
    Pass,
    /// What is broken is explained by a waiver that holds.
    Explained,
    /// What is broken was known before.
    Known,
    /// Only SHOULD or SHOULD NOT rules are broken.
    Warn,
    /// A MUST or MUST NOT rule is broken, or there is no event to read.
    Fail,
}

/// What became of one message, exchange or step of a stream.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// What it was.
    pub kind: Kind,
    /// The first breaches of each rule, at most [`MOST_PER_RULE`], by place in the message and then by
    /// rule.
    pub findings: Vec<Finding>,
    /// All breaches, counted by rule, in the order in which the first of them was found.
    pub broken: Vec<Broken>,
}

/// What was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A message, and how it carried events.
    Message(Protocol, Mode),
    /// An exchange, and how its request carried events.
    Exchange(Purpose, Mode),
    /// An event among others.
    Stream,
    /// What somebody did with messages, seen by trying it out.
    Behaviour,
}

impl Kind {
    /// What a reading is of.
    pub(crate) fn of(reading: &Reading<'_>) -> Self {
        Self::Message(reading.capture.protocol, reading.mode)
    }
}

impl Checked {
    pub(crate) fn new(kind: Kind) -> Self {
        Self {
            kind,
            findings: Vec::new(),
            broken: Vec::new(),
        }
    }

    /// The verdict on it. What is no event, or one in a format that is not JSON, gets none, unless a
    /// rule is about that.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let worst = self.broken.iter().map(|broken| broken.severity).max();
        match (worst, self.kind) {
            (Some(Severity::Error), _) => Verdict::Fail,
            (Some(Severity::Warning), _) => Verdict::Warn,
            (_, Kind::Message(_, Mode::Unsupported | Mode::NotAnEvent)) => Verdict::NotApplicable,
            _ => Verdict::Pass,
        }
    }

    /// How often a rule is broken, by its name.
    #[must_use]
    pub fn count_of(&self, rule: &str) -> usize {
        let broken = self.broken.iter().filter(|broken| broken.rule.id == rule);
        broken.map(|broken| broken.count).sum()
    }

    /// Breaches that were counted and are not among the findings.
    #[must_use]
    pub fn left_out(&self) -> usize {
        let all: usize = self.broken.iter().map(|broken| broken.count).sum();
        all - self.findings.len()
    }

    /// Puts the findings in order, and finds their lines in the body.
    pub(crate) fn finish(mut self, body: &[u8]) -> Self {
        self.findings.sort_by(Finding::order);
        locate(body, &mut self.findings);
        self
    }
}

impl Finding {
    /// The same input gives the same findings in the same order.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let key = |finding: &Self| (finding.part, finding.element, finding.offset.unwrap_or(0));
        let order = |finding: &Self| crate::rules::order(finding.rule.id);
        key(self)
            .cmp(&key(other))
            .then_with(|| self.place.cmp(&other.place))
            .then_with(|| order(self).cmp(&order(other)))
    }
}

/// Text that is safe to print: escaped, and cut after 80 characters.
#[must_use]
pub fn shorten(text: &str) -> String {
    const MOST: usize = 80;
    let shown = |character: char| match character.is_control() || is_invisible(character) {
        true => character.escape_unicode().collect(),
        false => vec![character],
    };
    let mut short: String = text.chars().take(MOST).flat_map(shown).collect();
    if text.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}

/// Characters that change how what follows them is shown, or that show nothing.
fn is_invisible(character: char) -> bool {
    matches!(
        u32::from(character),
        0x200B..=0x200F | 0x2028..=0x202E | 0x2066..=0x2069 | 0xFEFF | 0xFDD0..=0xFDEF | 0xFFFE | 0xFFFF
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_short_and_shows_itself() {
        assert_eq!(shorten("a\n\"é\"\u{202e}"), "a\\u{a}\"é\"\\u{202e}");
        assert_eq!(shorten(&"é".repeat(81)), format!("{}…", "é".repeat(80)));
    }
}
