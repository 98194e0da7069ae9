//! The report on everything that was checked, from which all forms are made.

use std::cmp::Reverse;
use std::collections::HashSet;

use jiff::civil::Date;
use serde::Serialize;

use super::{Finding, Row, Severity, Tally, Verdict};
use crate::catalogue::{self, Checkable, Entry};
use crate::input::InputError;
use crate::live::Why;
use crate::rule::{Level, Profile, Rule, Status};
use crate::written::{Baseline, Declaration, Waiver};

/// What was checked, what was found, and what could not be checked.
#[derive(Debug)]
#[non_exhaustive]
pub struct Report {
    /// The profile that was judged by.
    pub profile: Profile,
    /// The overlays that were judged by too, with their versions.
    pub overlays: Vec<String>,
    /// The day that waivers are held against.
    pub today: Date,
    /// The date to print, where one was given: otherwise the same input gives the same bytes.
    pub date: Option<Date>,
    /// From where on a finding fails.
    pub fail_on: FailOn,
    /// The name of the file with settings, and its SHA-256 in hexadecimal.
    pub settings: Option<(String, String)>,
    /// The files and pipes, in order.
    pub inputs: Vec<Input>,
    /// Why inputs could not be read, or not in whole.
    pub problems: Vec<Problem>,
    /// Whether trying out failed by what no rule names, such as events that came out of order.
    pub trial_failed: bool,
    /// Files in directories that were passed over.
    pub skipped: Vec<Skipped>,
    /// What was counted; exact, whatever is left out below.
    pub counts: Counts,
    /// The first findings of each rule, in the order of the inputs.
    pub findings: Vec<Reported>,
    /// What became of every rule of the profile that has a check.
    pub tally: Tally,
    /// What a baseline of this run holds, where one was asked for: known findings and new ones.
    pub baseline: Option<Baseline>,
    /// The waivers, in the order of their file.
    pub waivers: Vec<Waived>,
    /// The rules of the profile that only a document can show.
    pub declared: Vec<Declared>,
    /// Rules that were to be tried out, and that trying showed nothing of.
    pub not_tried: Vec<NotTried>,
    /// Rules that were not asked, by choice.
    pub left_out: Vec<&'static str>,
    /// Those of them that are of overlays.
    pub(crate) overlay_left_out: Vec<Entry>,
}

/// A rule that trying out showed nothing of.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NotTried {
    /// The rule.
    pub rule: &'static Rule,
    /// Why.
    pub why: Why,
}

/// From which severity on a finding that no waiver explains makes the check fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FailOn {
    /// Never.
    None,
    /// A warning or an error, or a waiver that has expired.
    Warn,
    /// An error, or a waiver that has expired.
    #[default]
    Error,
}

/// A file or a pipe.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Input {
    /// As it was named; `-` is standard input.
    pub name: String,
    /// SHA-256 of what was read, in hexadecimal.
    pub sha256: String,
    /// How much was read.
    pub bytes: u64,
    /// Messages and exchanges in it.
    pub messages: u64,
    /// Whether it began with a byte order mark, which was left out: it is the file's and not the
    /// event's.
    pub has_byte_order_mark: bool,
    /// Messages of HTTP whose head announces chunks or a content coding that their body is not in,
    /// and whose body was judged as it is.
    pub taken_as_decoded: u64,
}

/// An input that could not be read, or not in whole.
#[derive(Debug)]
#[non_exhaustive]
pub struct Problem {
    /// As the input was named.
    pub input: String,
    /// Why, and where.
    pub error: InputError,
}

/// A file, or a directory, that was passed over.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Skipped {
    /// Its path.
    pub name: String,
    /// Why.
    pub why: Skip,
}

/// Why a file in a directory is passed over; one that is named itself never is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Skip {
    /// Its name begins with a dot.
    Hidden,
    /// A symbolic link to a directory, which may lead back to where it is.
    Link,
    /// No file: a pipe, a socket or a device.
    Special,
    /// Neither its name nor its beginning says that it holds messages.
    Foreign,
    /// It is a report or a baseline that the run names.
    Own,
}

/// What was counted. Its fields are members of `cenl-report/1`, where none is ever renamed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Counts {
    /// Messages and exchanges.
    pub messages: u64,
    /// Events in them.
    pub events: u64,
    /// Messages that break nothing that counts.
    pub passed: u64,
    /// Messages that break SHOULD rules only.
    pub warned: u64,
    /// Messages that break a MUST rule.
    pub failed: u64,
    /// Messages whose every breach that counts is explained, or known before.
    pub explained: u64,
    /// Messages that hold no event to judge: none at all, or one in a format that is not JSON.
    pub not_events: u64,
    /// Those of them that hold one in a format that is not JSON.
    pub unread: u64,
    /// Rules that were tried out.
    pub tried: u64,
    /// Breaches of MUST rules that no waiver explains.
    pub errors: u64,
    /// Breaches of SHOULD rules that no waiver explains.
    pub warnings: u64,
    /// Breaches of drafts.
    pub notices: u64,
    /// Breaches that a waiver explains.
    pub waived: u64,
    /// Breaches that a baseline knows.
    pub known: u64,
    /// Findings that were counted and are not listed.
    pub left_out: u64,
    /// Inputs that could not be read, or not in whole, and are not listed.
    pub problems_left_out: u64,
    /// Files in directories that were passed over.
    pub skipped: u64,
}

/// A finding and where it lies.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reported {
    /// Which input, from 0.
    pub input: usize,
    /// The line in it, from 1.
    pub line: u64,
    /// The column, from 1, in characters, where it is known.
    pub column: Option<usize>,
    /// Where the message lay before: `kafka:topic/partition/offset` and the like.
    pub position: Option<String>,
    /// The event, where it is about one.
    pub event: Option<EventName>,
    /// What was found.
    pub finding: Finding,
    /// By what it is known again in another run: it does not hang on lines.
    pub fingerprint: String,
    /// The waiver that explains it, from 0.
    pub waiver: Option<usize>,
}

/// What an event is known by, shortened; empty where it is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EventName {
    /// Its `id`.
    pub id: String,
    /// Its `source`.
    pub source: String,
    /// Its `type`.
    pub ty: String,
}

/// A waiver and what became of it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Waived {
    /// The waiver.
    pub waiver: Waiver,
    /// How many findings it explains, or would explain if it had not expired.
    pub used: u64,
    /// Whether it holds no more.
    pub is_expired: bool,
}

/// A rule that only a document can show.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Declared {
    /// The rule.
    pub rule: &'static Entry,
    /// The document, where somebody named one.
    pub declaration: Option<Declaration>,
}

/// What comes of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Nothing at or above the threshold.
    Good = 0,
    /// Findings at or above the threshold.
    Findings = 1,
    /// Not everything could be checked.
    NotChecked = 2,
}

impl Outcome {
    /// The exit code of the command.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        self as u8
    }
}

impl Report {
    /// The verdict. Where not everything could be read there is none, unless what was read fails: see
    /// [`Self::outcome`].
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let counts = &self.counts;
        match () {
            () if counts.errors > 0 || self.has_expired() || self.trial_failed => Verdict::Fail,
            () if !self.problems.is_empty() || self.asks_nothing() => Verdict::NotApplicable,
            () if counts.warnings > 0 => Verdict::Warn,
            () if counts.messages == counts.not_events && counts.tried == 0 => {
                Verdict::NotApplicable
            }
            () if counts.known > 0 => Verdict::Known,
            () if counts.waived > 0 => Verdict::Explained,
            () => Verdict::Pass,
        }
    }

    /// What the command says with its exit code.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        let (errors, warnings) = (self.counts.errors, self.counts.warnings);
        let fails = match self.fail_on {
            FailOn::None => false,
            FailOn::Warn => errors > 0 || warnings > 0 || self.has_expired(),
            FailOn::Error => errors > 0 || self.has_expired(),
        };
        match () {
            () if !self.problems.is_empty() => Outcome::NotChecked,
            () if fails || self.trial_failed => Outcome::Findings,
            () if self.asks_nothing() => Outcome::NotChecked,
            () => Outcome::Good,
        }
    }

    /// Whether settings leave out every rule that messages give a verdict on.
    #[must_use]
    pub fn asks_nothing(&self) -> bool {
        let mut rows = self.rows();
        !self.left_out.is_empty() && rows.all(|(_, verdict)| verdict == Verdict::NotShown)
    }

    /// Whether a waiver holds no more.
    #[must_use]
    pub fn has_expired(&self) -> bool {
        self.waivers.iter().any(|waived| waived.is_expired)
    }

    /// Every rule of the profile that messages give a verdict on, in the order of the catalogue.
    pub fn rows(&self) -> impl Iterator<Item = (&Row, Verdict)> {
        self.tally.rows()
    }

    /// How many rules the profile makes mandatory that only a document can show, and that nobody
    /// declared. Drafts oblige nobody.
    #[must_use]
    pub fn open_duties(&self) -> u64 {
        let is_duty = |entry: &Entry| {
            let level = entry.level(self.profile);
            level.is_some_and(Level::is_must) && entry.status != Status::Draft.word()
        };
        let open = self.declared.iter();
        let open = open.filter(|declared| declared.declaration.is_none() && is_duty(declared.rule));
        open.count() as u64
    }

    /// The rules of the profile that were not tested: those that have to be tried out, those without a
    /// check, and those, of overlays too, that settings leave out.
    pub fn not_tested(&self) -> impl Iterator<Item = &Entry> {
        let told: HashSet<_> = self.rows().map(|(row, _)| row.rule.id).collect();
        let all = catalogue::entries().iter().chain(&self.overlay_left_out);
        all.filter(move |entry| {
            let is_here = entry.level(self.profile).is_some();
            let is_declared = entry.checkable == Checkable::Declared;
            let is_told = is_declared && !self.leaves_out(entry) || told.contains(&*entry.id);
            is_here && !is_told
        })
    }

    /// Whether settings leave a rule out.
    #[must_use]
    pub fn leaves_out(&self, rule: &Entry) -> bool {
        self.left_out.contains(&&*rule.id)
    }

    /// How many rules of the profile, and of overlays, settings leave out.
    #[must_use]
    pub fn rules_left_out(&self) -> u64 {
        let not_tested = self.not_tested();
        not_tested.filter(|entry| self.leaves_out(entry)).count() as u64
    }

    /// Why a rule was not tried out, where somebody set out to.
    #[must_use]
    pub fn why_not_tried(&self, rule: &str) -> Option<&Why> {
        let mut not_tried = self.not_tried.iter();
        let not_tried = not_tried.find(|not_tried| not_tried.rule.id == rule)?;
        Some(&not_tried.why)
    }

    /// The rules of the profile that no message can break, so that none shows whether they are met.
    pub fn not_shown(&self) -> impl Iterator<Item = &'static Rule> {
        let is_not_shown = |(_, verdict): &(&Row, Verdict)| *verdict == Verdict::NotShown;
        self.rows().filter(is_not_shown).map(|(row, _)| row.rule)
    }

    /// The rules that findings are listed of, in the order of the catalogue.
    pub fn found(&self) -> impl Iterator<Item = &Row> {
        let rows = self.tally.of_any_profile();
        rows.filter(|row| self.findings_of(row.rule.id).next().is_some())
    }

    /// The same, the gravest first.
    #[must_use]
    pub fn gravest(&self) -> Vec<&Row> {
        let mut rows: Vec<_> = self.found().collect();
        rows.sort_by_key(|row| Reverse(row.worst));
        rows
    }

    /// The listed findings of a rule.
    pub fn findings_of(&self, rule: &str) -> impl Iterator<Item = &Reported> {
        self.findings
            .iter()
            .filter(move |reported| reported.finding.rule.id == rule)
    }

    /// The name of the input of a finding.
    #[must_use]
    pub fn input_name(&self, reported: &Reported) -> &str {
        self.inputs
            .get(reported.input)
            .map_or("", |input| &input.name)
    }
}

impl Reported {
    /// Whether it counts: neither a notice nor explained.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.waiver.is_none() && self.finding.severity != Severity::Notice
    }
}
