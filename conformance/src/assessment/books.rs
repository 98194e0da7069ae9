//! What is counted of everything that was checked, and what is listed of it.

use std::collections::HashMap;

use super::Options;
use super::fingerprint::Fingerprints;
use crate::catalogue::{self, Checkable, Entry};
use crate::grammar::bsn;
use crate::reading::{Event, Mode, Reading};
use crate::report::{
    Breach, Broken, Counts, Declared, EventName, Fate, Finding, Ledger, Report, Reported, Severity,
    Tally, Waived, locate, shorten,
};
use crate::rule::Check;
use crate::rules;
use crate::written::{Baseline, Known, Waiver};

/// The report under way, and what it takes to write it.
#[derive(Debug)]
pub(super) struct Books {
    pub(super) options: Options,
    pub(super) report: Report,
    prints: Fingerprints,
    /// How many findings of each rule are listed.
    listed: HashMap<&'static str, usize>,
}

/// The report on nothing yet.
fn empty(options: &Options) -> Report {
    let profile = options.profile;
    // A rule that sums up others is asked where all of those are.
    let has = |rule: &str| {
        let parts = match rules::rule(rule).map(|rule| rule.check) {
            Some(Check::Umbrella(parts, _)) => parts,
            _ => &[],
        };
        let mut all = parts.iter().copied().chain([rule]);
        all.all(|rule| options.selection.has(rule))
    };
    let waived = |waiver: &Waiver| Waived {
        waiver: waiver.clone(),
        used: 0,
        is_expired: waiver.is_expired(options.today),
    };
    let declared = catalogue::entries().iter().filter(|entry| {
        entry.checkable == Checkable::Declared && entry.level(profile).is_some() && has(&entry.id)
    });
    let declared = declared.map(|rule| {
        let mut all = options.declarations.all.iter();
        let declaration = all.find(|declaration| declaration.rule.id == rule.id);
        Declared {
            rule,
            declaration: declaration.cloned(),
        }
    });
    let overlays = options.overlays.iter();
    let ids = catalogue::entries().iter().map(|entry| &*entry.id);
    let of_overlays = overlays.clone().flat_map(|overlay| &overlay.rules);
    let of_overlays = of_overlays.filter(|rule| !has(rule.id)).copied();
    let ids = ids.filter(|id| !has(id));
    let ids = ids.chain(of_overlays.clone().map(|rule| rule.id)).collect();
    Report {
        profile,
        overlays: overlays.map(|overlay| overlay.name.clone()).collect(),
        today: options.today,
        date: options.date,
        fail_on: options.fail_on,
        settings: options.settings.clone(),
        inputs: Vec::new(),
        problems: Vec::new(),
        trial_failed: false,
        skipped: Vec::new(),
        counts: Counts::default(),
        findings: Vec::new(),
        tally: Tally::of(profile, &options.overlays, has),
        baseline: options.baseline.as_ref().map(|_| Baseline::default()),
        waivers: options.waivers.all.iter().map(waived).collect(),
        declared: declared.collect(),
        not_tried: Vec::new(),
        left_out: ids,
        overlay_left_out: of_overlays
            .map(|rule| Entry::of_overlay(rule, profile))
            .collect(),
    }
}

impl Books {
    pub(super) fn new(options: Options) -> Self {
        Self {
            report: empty(&options),
            options,
            prints: Fingerprints::default(),
            listed: HashMap::new(),
        }
    }

    /// The waiver that explains a breach; one that has expired explains nothing.
    fn waiver(&mut self, breach: &Breach<'_>, event: Option<&Event<'_>>) -> Option<usize> {
        for (at, waived) in self.report.waivers.iter_mut().enumerate() {
            if waived.waiver.rule.id != breach.rule.id || !waived.waiver.is_about(event) {
                continue;
            }
            waived.used += 1;
            if !waived.is_expired && breach.severity != Severity::Notice {
                return Some(at);
            }
        }
        None
    }

    /// By what a finding is known again. It goes into the baseline of this run.
    fn fingerprint(&mut self, finding: &Finding, event: Option<&Event<'_>>) -> String {
        let input = self.report.inputs.last();
        let input = input.map_or("", |input| &*input.name);
        let print = self.prints.next(input, finding, event);
        if let Some(baseline) = &mut self.report.baseline {
            let input = bsn::masked("", input, false);
            let rule = finding.rule.id.to_owned();
            baseline.known.insert(print.clone(), Known { rule, input });
        }
        print
    }

    fn is_known(&self, print: &str) -> bool {
        let baseline = self.options.baseline.as_ref();
        baseline.is_some_and(|baseline| baseline.known.contains_key(print))
    }

    /// Whether one more finding of a rule is listed.
    fn has_room(&mut self, rule: &'static str) -> bool {
        let listed = self.listed.entry(rule).or_default();
        let has_room = *listed < self.options.most_per_rule;
        if has_room {
            *listed += 1;
        } else {
            self.report.counts.left_out += 1;
        }
        has_room
    }
}

/// Where the breaches of one message are entered.
#[derive(Debug)]
pub(super) struct Page<'b, 'c> {
    pub(super) books: &'b mut Books,
    reading: &'b Reading<'c>,
    /// Those that are listed, with their fingerprints, and the waivers that explain them.
    findings: Vec<(Finding, String, Option<usize>)>,
    /// The worst that no waiver explains.
    worst: Option<Severity>,
    is_explained: bool,
}

impl Ledger for Page<'_, '_> {
    fn enter(&mut self, breach: &Breach<'_>, describe: &dyn Fn() -> Finding) {
        let selection = &self.books.options.selection;
        if !selection.has(breach.rule.id) {
            return;
        }
        let severity = selection.severity(breach.rule.id, breach.severity);
        let usual = Some(breach.severity).filter(|usual| *usual != severity);
        let breach = &Breach {
            severity,
            ..*breach
        };
        let event = self.reading.event(breach.element);
        let waiver = self.books.waiver(breach, event);
        let describe = || Finding {
            severity,
            ..describe()
        };
        let mut named = None;
        if self.books.options.baseline.is_some() && waiver.is_none() {
            let finding = describe();
            named = Some((self.books.fingerprint(&finding, event), finding));
        }
        let print = named.as_ref().map(|(print, _)| &**print);
        let fate = match waiver {
            Some(_) => Fate::Explained,
            None if print.is_some_and(|print| self.books.is_known(print)) => Fate::Known,
            None => Fate::Open,
        };
        let report = &mut self.books.report;
        let broken = Broken {
            usual,
            ..Broken::one(breach)
        };
        report.tally.count(&broken, fate);
        let counts = &mut report.counts;
        let count = match (fate, severity) {
            (Fate::Explained, _) => &mut counts.waived,
            (Fate::Known, _) => &mut counts.known,
            (Fate::Open, Severity::Error) => &mut counts.errors,
            (Fate::Open, Severity::Warning) => &mut counts.warnings,
            (Fate::Open, Severity::Notice) => &mut counts.notices,
        };
        *count += 1;
        match fate {
            Fate::Open => self.worst = self.worst.max(Some(severity)),
            Fate::Explained | Fate::Known => self.is_explained = true,
        }
        if fate != Fate::Known && self.books.has_room(breach.rule.id) {
            let (print, finding) = named.unwrap_or_else(|| {
                let finding = describe();
                (self.books.fingerprint(&finding, event), finding)
            });
            self.findings.push((finding, print, waiver));
        }
    }
}

impl<'b, 'c> Page<'b, 'c> {
    pub(super) fn new(books: &'b mut Books, reading: &'b Reading<'c>) -> Self {
        Self {
            books,
            reading,
            findings: Vec::new(),
            worst: None,
            is_explained: false,
        }
    }

    /// The input that is read.
    pub(super) fn input(&self) -> usize {
        self.books.report.inputs.len().saturating_sub(1)
    }

    /// Counts the message by its verdict. One that does not fail and holds no event to judge, such as an
    /// empty batch, has none, unless what is wrong with it is explained; a handshake is judged without.
    pub(super) fn count(&mut self, is_handshake: bool) {
        let is_not_judged = self.reading.events.is_empty() && !is_handshake;
        let is_unread = is_not_judged && self.reading.mode == Mode::Unsupported;
        let counts = &mut self.books.report.counts;
        let count = match self.worst {
            Some(Severity::Error) => &mut counts.failed,
            _ if is_unread || is_not_judged && !self.is_explained => {
                counts.unread += u64::from(is_unread);
                &mut counts.not_events
            }
            Some(Severity::Warning) => &mut counts.warned,
            _ if self.is_explained => &mut counts.explained,
            _ => &mut counts.passed,
        };
        *count += 1;
    }

    /// Lists the findings of an input, each with the line and the column where it stands.
    pub(super) fn list(mut self, input: usize, place: impl Fn(&Finding) -> (u64, Option<usize>)) {
        self.findings
            .sort_by(|(one, ..), (other, ..)| one.order(other));
        let capture = self.reading.capture;
        let findings = self.findings.iter_mut().map(|(finding, ..)| finding);
        locate(capture.body(), findings);
        let text = |event: &Event<'_>, name| shorten(event.text(name).unwrap_or_default());
        for (finding, fingerprint, waiver) in self.findings {
            let (line, column) = place(&finding);
            let event = self.reading.event(finding.element);
            self.books.report.findings.push(Reported {
                input,
                line,
                column,
                position: capture.position.as_deref().map(shorten),
                event: event.map(|event| {
                    let [id, source, ty] = ["id", "source", "type"].map(|name| text(event, name));
                    EventName { id, source, ty }
                }),
                finding,
                fingerprint,
                waiver,
            });
        }
    }
}
