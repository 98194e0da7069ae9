//! Checks everything that people hand in, and gathers the report.
//!
//! Inputs are read message by message, so memory does not grow with them: findings are counted
//! exactly, and the first of each rule are kept. It opens no file and looks at no clock: readers and
//! today's date are arguments.

pub(crate) mod hashed;

use std::collections::HashMap;
use std::io::BufRead;

use jiff::civil::Date;

use crate::capture::{Capture, Purpose};
use crate::catalogue::{self, Checkable};
use crate::check::{Checker, StreamChecker};
use crate::input::{Content, Form, InputError, Item, Items};
use crate::reading::{Event, Mode, Reading};
use crate::report::{
    Checked, Counts, Declared, EventName, FailOn, Finding, Input, Kind, Problem, Report, Reported,
    Severity, Tally, Verdict, Waived, shorten,
};
use crate::rule::{Profile, StreamFacts};
use crate::written::{Declarations, Waivers};
use hashed::Hashed;

/// What to judge by.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The profile.
    pub profile: Profile,
    /// From where on a finding fails.
    pub fail_on: FailOn,
    /// Whether the messages of an input are events in the order they were sent.
    pub stream: Stream,
    /// How many findings of each rule are kept.
    pub most_per_rule: usize,
    /// Deviations that somebody explains.
    pub waivers: Waivers,
    /// What somebody says of rules that no message can show.
    pub declarations: Declarations,
    /// The day that waivers are held against.
    pub today: Date,
    /// The date to print, if any.
    pub date: Option<Date>,
}

/// What the messages of an input are to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums, reason = "what stream rules can be told")]
pub enum Stream {
    /// Nothing: the stream rules are not asked.
    Unordered,
    /// An excerpt of a stream, in the order it was sent. The stream rules judge inputs with more than
    /// one event.
    #[default]
    Excerpt,
    /// A stream from its first event on, without omissions.
    Complete,
}

impl Options {
    /// The usual options for a profile: fail on errors, an excerpt of a stream, a hundred findings
    /// per rule.
    #[must_use]
    pub fn new(profile: Profile, today: Date) -> Self {
        Self {
            profile,
            fail_on: FailOn::default(),
            stream: Stream::default(),
            most_per_rule: 100,
            waivers: Waivers::default(),
            declarations: Declarations::default(),
            today,
            date: None,
        }
    }
}

/// Problems that are listed; the rest are counted.
const MOST_PROBLEMS: usize = 100;

/// A check that is under way.
///
/// ```
/// use cloudevents_nl_conformance::{Assessment, Form, Options, Profile, Verdict};
///
/// let text = r#"{"specversion":"1.0","id":"1","source":"urn:nld:kvknr:09220932.zaken","type":"nl.brp.a"}"#;
/// let mut assessment = Assessment::new(Options::new(Profile::NlGov11, "2026-11-21".parse()?));
/// assessment.read("event.json", text.as_bytes(), Form::Recognised);
/// let report = assessment.finish();
/// assert_eq!((report.counts.events, report.verdict()), (1, Verdict::Pass));
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Debug)]
pub struct Assessment {
    checker: Checker,
    options: Options,
    waivers: Vec<Waived>,
    kept: HashMap<&'static str, usize>,
    inputs: Vec<Input>,
    problems: Vec<Problem>,
    counts: Counts,
    findings: Vec<Reported>,
    tally: Tally,
}

impl Assessment {
    /// A check that has seen nothing yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let waived = |waiver: &crate::written::Waiver| Waived {
            waiver: waiver.clone(),
            used: 0,
            is_expired: waiver.is_expired(options.today),
        };
        Self {
            checker: Checker::new(options.profile),
            waivers: options.waivers.all.iter().map(waived).collect(),
            kept: HashMap::new(),
            inputs: Vec::new(),
            problems: Vec::new(),
            counts: Counts::default(),
            findings: Vec::new(),
            tally: Tally::new(options.profile),
            options,
        }
    }

    /// Checks all messages of an input. What cannot be read is told in the report.
    pub fn read(&mut self, name: &str, reader: impl BufRead, form: Form) {
        let mut hashed = Hashed::new(reader);
        let facts = StreamFacts::new(self.options.stream == Stream::Complete);
        let mut stream = self.checker.stream(facts);
        let (messages, events) = (self.counts.messages, self.counts.events);
        self.inputs.push(Input {
            name: name.to_owned(),
            sha256: String::new(),
            bytes: 0,
            messages: 0,
        });
        for item in Items::new(&mut hashed, form) {
            match item {
                Ok(item) => self.check(&item, &mut stream),
                Err(error) => self.problem(name, error),
            }
        }
        let is_stream = match self.options.stream {
            Stream::Unordered => false,
            Stream::Excerpt => self.counts.events - events > 1,
            Stream::Complete => self.counts.events > events,
        };
        if is_stream {
            self.tally.apply(Kind::Stream);
        }
        let (sha256, bytes) = hashed.finish();
        if let Some(input) = self.inputs.last_mut() {
            input.sha256 = sha256;
            input.bytes = bytes;
            input.messages = self.counts.messages - messages;
        }
    }

    /// Notes an input that could not be opened.
    pub fn problem(&mut self, name: &str, error: InputError) {
        if self.problems.len() < MOST_PROBLEMS {
            let input = name.to_owned();
            self.problems.push(Problem { input, error });
        } else {
            self.counts.problems_left_out += 1;
        }
    }

    /// Problems so far.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The report.
    #[must_use]
    pub fn finish(self) -> Report {
        let profile = self.options.profile;
        let entries = catalogue::entries().iter().filter(|entry| {
            entry.checkable == Checkable::Declared && entry.level(profile).is_some()
        });
        let declarations = &self.options.declarations.all;
        let declared = entries.map(|rule| Declared {
            rule,
            declaration: declarations
                .iter()
                .find(|declaration| declaration.rule.id == rule.id)
                .cloned(),
        });
        Report {
            profile,
            today: self.options.today,
            date: self.options.date,
            fail_on: self.options.fail_on,
            declared: declared.collect(),
            inputs: self.inputs,
            problems: self.problems,
            counts: self.counts,
            findings: self.findings,
            tally: self.tally,
            waivers: self.waivers,
        }
    }

    fn check(&mut self, item: &Item, stream: &mut StreamChecker) {
        self.counts.messages += 1;
        let (capture, exchange) = match &item.content {
            Content::Message(capture) => (capture, None),
            Content::Exchange(exchange) => (&exchange.request, Some(exchange)),
        };
        let reading = Reading::of(capture);
        let mut checked = match exchange {
            None => self.checker.check_reading(&reading),
            Some(exchange) => self.checker.check_exchange(exchange),
        };
        self.tally.apply(checked.kind);
        let is_event = exchange.is_none_or(|exchange| exchange.purpose == Purpose::Delivery);
        if is_event {
            self.counts.events += reading.events.len() as u64;
            if self.options.stream != Stream::Unordered {
                checked
                    .findings
                    .extend(stream.see_reading(&reading).findings);
            }
        }
        self.count(item, capture, &reading, checked);
    }

    fn count(&mut self, item: &Item, capture: &Capture, reading: &Reading<'_>, checked: Checked) {
        let verdict = Checked {
            kind: checked.kind,
            findings: Vec::new(),
        }
        .verdict();
        let (mut worst, mut is_explained) = (None, false);
        for finding in checked.findings {
            let event = event_of(&finding, reading);
            let waiver = self.waiver(&finding, event);
            self.tally.find(&finding, waiver.is_some());
            let count = match (waiver, finding.severity) {
                (Some(_), _) => &mut self.counts.waived,
                (None, Severity::Error) => &mut self.counts.errors,
                (None, Severity::Warning) => &mut self.counts.warnings,
                (None, Severity::Notice) => &mut self.counts.notices,
            };
            *count += 1;
            match waiver {
                Some(_) => is_explained = true,
                None => worst = worst.max(Some(finding.severity)),
            }
            self.keep(item, capture, event, finding, waiver);
        }
        let count = match worst {
            Some(Severity::Error) => &mut self.counts.failed,
            Some(Severity::Warning) => &mut self.counts.warned,
            _ if is_explained => &mut self.counts.explained,
            _ if verdict == Verdict::NotApplicable => &mut self.counts.not_events,
            _ => &mut self.counts.passed,
        };
        *count += 1;
    }

    /// The waiver that explains a finding; one that has expired explains nothing.
    fn waiver(&mut self, finding: &Finding, event: Option<&Event<'_>>) -> Option<usize> {
        for (at, waived) in self.waivers.iter_mut().enumerate() {
            if waived.waiver.rule.id != finding.rule.id || !waived.waiver.is_about(event) {
                continue;
            }
            waived.used += 1;
            if !waived.is_expired && finding.severity != Severity::Notice {
                return Some(at);
            }
        }
        None
    }

    fn keep(
        &mut self,
        item: &Item,
        capture: &Capture,
        event: Option<&Event<'_>>,
        finding: Finding,
        waiver: Option<usize>,
    ) {
        let kept = self.kept.entry(finding.rule.id).or_default();
        if *kept >= self.options.most_per_rule {
            self.counts.left_out += 1;
            return;
        }
        *kept += 1;
        let (line, column) = item.place(&finding);
        let text = |event: &Event<'_>, name| shorten(event.text(name).unwrap_or_default());
        self.findings.push(Reported {
            input: self.inputs.len().saturating_sub(1),
            line,
            column,
            position: capture.position.as_deref().map(shorten),
            event: event.map(|event| EventName {
                id: text(event, "id"),
                source: text(event, "source"),
                ty: text(event, "type"),
            }),
            finding,
            waiver,
        });
    }
}

fn event_of<'r, 'c>(finding: &Finding, reading: &'r Reading<'c>) -> Option<&'r Event<'c>> {
    if reading.mode == Mode::Batched {
        let element = finding.element?;
        return reading
            .events
            .iter()
            .find(|event| event.element == Some(element));
    }
    reading.events.first()
}
