//! Checks everything that people hand in, and gathers the report.
//!
//! Inputs are read message by message, so memory does not grow with them: breaches are counted
//! exactly, and the first of each rule are listed. It opens no file and looks at no clock: readers and
//! today's date are arguments.

mod books;
mod fingerprint;
mod selection;

use std::io::BufRead;

use jiff::civil::Date;

use crate::capture::{Capture, Protocol, Purpose};
use crate::check::{Checker, StreamChecker};
use crate::hashed::Hashed;
use crate::input::{Content, Form, InputError, Item, Items, LineFault};
use crate::live::{Evidence, Live, Shown};
use crate::reading::Reading;
use crate::report::{
    FailOn, Input, Kind, MOST_PER_RULE, NotTried, Part, Problem, Report, Skip, Skipped,
};
use crate::rule::{Profile, StreamFacts};
use crate::written::{Baseline, Declarations, Overlay, Waivers};
use books::{Books, Page};

pub use selection::Selection;

/// What to judge by.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The profile.
    pub profile: Profile,
    /// From where on a finding fails.
    pub fail_on: FailOn,
    /// Whether the messages of all inputs are events in the order they were sent.
    pub stream: Stream,
    /// Which rules are asked, and how much they count, where that is not as the profile has it.
    pub selection: Selection,
    /// The name of the file that says so, and its SHA-256 in hexadecimal.
    pub settings: Option<(String, String)>,
    /// Rules beyond those of the profile.
    pub overlays: Vec<Overlay>,
    /// Findings that are known and do not count, where somebody keeps such.
    pub baseline: Option<Baseline>,
    /// How many findings of each rule are listed.
    pub most_per_rule: usize,
    /// Deviations that somebody explains.
    pub waivers: Waivers,
    /// What somebody says of rules that no message can show.
    pub declarations: Declarations,
    /// The day that waivers are held against.
    pub today: Date,
    /// The date to print, if any.
    pub date: Option<Date>,
    /// Whether the report masks citizen service numbers, for those who may not see them.
    pub redact: bool,
}

/// What the messages of all inputs, in their order, are to each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stream {
    /// Nothing: the stream rules are not asked.
    Unordered,
    /// An excerpt of a stream, in the order it was sent. The stream rules judge it if it has more than
    /// one event.
    #[default]
    Excerpt,
    /// A stream from its first event on, without omissions.
    Complete,
}

impl Options {
    /// The usual options for a profile: fail on errors, an excerpt of a stream, [`MOST_PER_RULE`]
    /// findings per rule.
    #[must_use]
    pub fn new(profile: Profile, today: Date) -> Self {
        Self {
            profile,
            fail_on: FailOn::default(),
            stream: Stream::default(),
            selection: Selection::default(),
            settings: None,
            overlays: Vec::new(),
            baseline: None,
            most_per_rule: MOST_PER_RULE,
            waivers: Waivers::default(),
            declarations: Declarations::default(),
            today,
            date: None,
            redact: false,
        }
    }
}

/// Problems, and files passed over, that are listed; the rest are counted.
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
    /// What the stream rules remember, over all inputs.
    stream: StreamChecker,
    /// The input with the last message, and the line that it begins on.
    last: (usize, u64),
    books: Books,
}

impl Assessment {
    /// A check that has seen nothing yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let checker = Checker::with(options.profile, &options.overlays);
        let facts = StreamFacts::new(options.stream == Stream::Complete);
        Self {
            stream: checker.stream(facts),
            checker,
            last: (0, 1),
            books: Books::new(options),
        }
    }

    /// Checks all messages of an input. What cannot be read is told in the report.
    pub fn read(&mut self, name: &str, reader: impl BufRead, form: Form) {
        let mut hashed = Hashed::new(reader);
        let before = self.books.report.counts;
        self.books.report.inputs.push(Input {
            name: name.to_owned(),
            ..Input::default()
        });
        let (mut is_read, mut taken_as_decoded, mut handshakes) = (true, 0, 0);
        let mut items = Items::new(&mut hashed, form);
        for item in items.by_ref() {
            match item {
                Ok(item) => {
                    taken_as_decoded += u64::from(item.is_taken_as_decoded);
                    handshakes += u64::from(item.is_handshake());
                    if item.message().is_some_and(Capture::is_coded) {
                        is_read = false;
                        let line = item.lines.first;
                        self.problem(name, LineFault::Coded.at(line));
                    }
                    self.check(&item);
                }
                Err(error) => {
                    is_read = false;
                    self.problem(name, error);
                }
            }
        }
        let has_byte_order_mark = items.has_byte_order_mark();
        let counts = self.books.report.counts;
        let messages = counts.messages - before.messages;
        let not_events = counts.not_events - before.not_events;
        // Who was tried out may have shown it without a message; what he broke, he broke.
        let is_nothing_shown = match counts.tried > before.tried {
            true => not_events > 0 && counts.errors == before.errors,
            false => handshakes == 0,
        };
        if is_read && is_nothing_shown && messages == not_events + handshakes {
            let unread = counts.unread - before.unread;
            self.problem(name, InputError::NoEvent { messages, unread });
        }
        let (sha256, bytes) = hashed.finish();
        if let Some(input) = self.books.report.inputs.last_mut() {
            input.sha256 = sha256;
            input.bytes = bytes;
            input.messages = messages;
            input.has_byte_order_mark = has_byte_order_mark;
            input.taken_as_decoded = taken_as_decoded;
        }
    }

    /// Notes an input that could not be opened.
    pub fn problem(&mut self, name: &str, error: InputError) {
        let report = &mut self.books.report;
        if report.problems.len() < MOST_PROBLEMS {
            let input = name.to_owned();
            report.problems.push(Problem { input, error });
        } else {
            report.counts.problems_left_out += 1;
        }
    }

    /// Notes a file that is passed over.
    pub fn skip(&mut self, name: &str, why: Skip) {
        let report = &mut self.books.report;
        report.counts.skipped += 1;
        if report.skipped.len() < MOST_PROBLEMS {
            let name = name.to_owned();
            report.skipped.push(Skipped { name, why });
        }
    }

    /// Notes that trying out failed by what no rule names, such as events that came out of order.
    pub fn trial_failed(&mut self) {
        self.books.report.trial_failed = true;
    }

    /// Problems so far.
    #[must_use]
    pub fn problems(&self) -> &[Problem] {
        &self.books.report.problems
    }

    /// The report.
    #[must_use]
    pub fn finish(mut self) -> Report {
        self.end();
        let mut report = self.books.report;
        if self.books.options.redact {
            report.redact();
        }
        report
    }

    fn check(&mut self, item: &Item) {
        let (message, exchange) = match &item.content {
            Content::Message(capture) if capture.is_evidence => return,
            Content::Message(capture) => (capture, None),
            Content::Exchange(exchange) => (&exchange.request, Some(exchange)),
            Content::Live(live) => return self.tried(live, item.lines.first),
        };
        let judges = |rule: &str, side| {
            message.is_judged_by(rule) && exchange.is_none_or(|exchange| exchange.judges(side))
        };
        let reading = Reading::of(message);
        let is_ordered = self.books.options.stream != Stream::Unordered;
        let mut page = Page::new(&mut self.books, &reading);
        let kind = match exchange {
            None => {
                self.checker.enter_message(&reading, &mut page);
                Kind::of(&reading)
            }
            Some(exchange) => {
                self.checker.enter_exchange(exchange, &reading, &mut page);
                Kind::Exchange(exchange.purpose, reading.mode)
            }
        };
        let report = &mut page.books.report;
        report.tally.apply_to(kind, judges);
        report.counts.messages += 1;
        let is_handshake = matches!(kind, Kind::Exchange(Purpose::Validation, _));
        if !is_handshake && exchange.is_none_or(|exchange| exchange.judges(Part::Message)) {
            report.counts.events += reading.events.len() as u64;
            if is_ordered && !item.is_example {
                self.stream.enter_events(&reading, &mut page);
            }
        }
        page.count(is_handshake);
        self.last = (page.input(), item.lines.first);
        page.list(self.last.0, |finding| item.place(finding));
    }

    /// Takes what trying out showed of a rule. What broke it lies on lines before; where none is named,
    /// on its own. Of a rule that the profile does not have, what broke it is noticed.
    fn tried(&mut self, live: &Live, line: u64) {
        let nothing = Capture::new(Protocol::File);
        let reading = Reading::of(&nothing);
        let options = &self.books.options;
        let is_in_profile = live.rule.level.of(options.profile).is_some();
        let is_told = is_in_profile || matches!(live.shown, Shown::Broken(_));
        if !is_told || !options.selection.has(live.rule.id) {
            return;
        }
        let own = [Evidence {
            line,
            in_response: false,
            seen: String::new(),
        }];
        let report = &mut self.books.report;
        let evidence: &[Evidence] = match &live.shown {
            Shown::Met => &[],
            Shown::Broken(evidence) if evidence.is_empty() => &own,
            Shown::Broken(evidence) => evidence,
            Shown::Nothing(why) => {
                let (rule, why) = (live.rule, why.clone());
                return report.not_tried.push(NotTried { rule, why });
            }
        };
        report.tally.apply_live(live.rule);
        report.counts.tried += u64::from(is_in_profile);
        for evidence in evidence {
            let mut page = Page::new(&mut self.books, &reading);
            self.checker.enter_live(live.rule, evidence, &mut page);
            let input = page.input();
            page.list(input, |_| (evidence.line, None));
        }
    }

    /// Asks what only the end of a stream shows; it stands where the last message does.
    fn end(&mut self) {
        let events = self.books.report.counts.events;
        let is_stream = match self.books.options.stream {
            Stream::Unordered => false,
            Stream::Excerpt => events > 1,
            Stream::Complete => events > 0,
        };
        if !is_stream {
            return;
        }
        let tally = &mut self.books.report.tally;
        tally.apply_to(Kind::Stream, |rule, _| self.stream.shows(rule));
        let nothing = Capture::new(Protocol::File);
        let reading = Reading::of(&nothing);
        let mut page = Page::new(&mut self.books, &reading);
        self.stream.enter_end(&mut page);
        let (input, line) = self.last;
        page.list(input, |_| (line, None));
    }
}
