//! For people in a terminal: what is wrong, grouped by rule, and the conclusion last.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};

use super::{Language, words};
use crate::report::{NotTried, Report, Reported, Row, Severity, Verdict};

/// Places that are shown of each rule.
const MOST_PLACES: usize = 3;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();
const FAINT: Style = Style::new().dimmed();
const BOLD: Style = Style::new().bold();

/// A text for a terminal, with colours as ANSI escapes, which the caller may strip.
#[must_use]
pub fn table(report: &Report, language: Language) -> String {
    let mut out = String::new();
    write(&mut out, report, language).expect("a text takes all");
    out
}

fn write(out: &mut String, report: &Report, language: Language) -> std::fmt::Result {
    for row in report.gravest() {
        rule(out, report, row, language)?;
    }
    for waived in report
        .waivers
        .iter()
        .filter(|waived| waived.is_expired || waived.used == 0)
    {
        let state = if waived.is_expired {
            words::EXPIRED
        } else {
            words::UNUSED
        };
        let style = if waived.is_expired { ERROR } else { WARNING };
        writeln!(
            out,
            "{style}{}{style:#} {}: {} {} ({}, {})",
            state.told(language),
            waived.waiver.rule.id,
            words::UNTIL.told(language).to_lowercase(),
            waived.waiver.until,
            waived.waiver.owner,
            waived.waiver.reason,
        )?;
    }
    for not_tried in &report.not_tried {
        let NotTried { rule, why } = not_tried;
        let state = words::NOT_TESTED.told(language);
        writeln!(
            out,
            "{FAINT}{state}: {} {}: {}{FAINT:#}",
            rule.id,
            rule.requirement(language).0,
            why.told(language)
        )?;
    }
    for input in &report.inputs {
        for note in words::notes(input, language) {
            writeln!(out, "{FAINT}{}: {note}{FAINT:#}", input.name)?;
        }
    }
    let skipped = report.skipped.iter();
    let skipped = skipped.map(|skipped| words::skipped(skipped, language));
    for told in skipped.chain(words::skipped_unlisted(report, language)) {
        writeln!(
            out,
            "{FAINT}{}: {told}{FAINT:#}",
            words::SKIPPED.told(language)
        )?;
    }
    for problem in &report.problems {
        writeln!(
            out,
            "{ERROR}!{ERROR:#} {}",
            words::problem(problem, language)
        )?;
    }
    summary(out, report, language)
}

fn rule(out: &mut String, report: &Report, row: &Row, language: Language) -> std::fmt::Result {
    let rule = row.rule;
    let level = rule
        .level
        .of(report.profile)
        .map_or("", |level| level.keyword());
    let (style, word) = match row.worst {
        Some(Severity::Error) => (ERROR, words::severity(Severity::Error)),
        Some(Severity::Warning) => (WARNING, words::severity(Severity::Warning)),
        Some(Severity::Notice) => (FAINT, words::severity(Severity::Notice)),
        None => (FAINT, words::verdict(Verdict::Explained)),
    };
    writeln!(
        out,
        "{style}{}{style:#} {BOLD}{}{BOLD:#} {} {FAINT}({level}; {}){FAINT:#}",
        word.told(language),
        rule.id,
        rule.title.told(language),
        rule.clause,
    )?;
    let mut shown = 0;
    for reported in report.findings_of(rule.id).take(MOST_PLACES) {
        place(out, report, reported, language)?;
        shown += 1;
    }
    let total = row.broken + row.explained;
    if total > shown {
        writeln!(out, "    … {}", words::more(total - shown, language))?;
    }
    writeln!(
        out,
        "    {}: {}\n",
        words::FIX.told(language),
        rule.fix.told(language)
    )
}

fn place(
    out: &mut String,
    report: &Report,
    reported: &Reported,
    language: Language,
) -> std::fmt::Result {
    let finding = &reported.finding;
    write!(
        out,
        "    {}  {}",
        words::spot(report, reported),
        words::place(finding, language)
    )?;
    if !finding.seen.is_empty() {
        write!(out, "  {FAINT}«{}»{FAINT:#}", finding.seen)?;
    }
    if let Some(position) = &reported.position {
        write!(out, "  {FAINT}{position}{FAINT:#}")?;
    }
    if reported.waiver.is_some() {
        write!(
            out,
            "  {FAINT}{}{FAINT:#}",
            words::verdict(Verdict::Explained).told(language)
        )?;
    }
    writeln!(out)
}

fn summary(out: &mut String, report: &Report, language: Language) -> std::fmt::Result {
    let open = report
        .declared
        .iter()
        .filter(|declared| declared.declaration.is_none());
    let remains = [
        (
            open.count() as u64,
            words::rules_to_declare as fn(u64, Language) -> String,
        ),
        (report.not_shown().count() as u64, words::rules_not_shown),
        (report.not_tested().count() as u64, words::rules_not_tested),
    ];
    let remains: Vec<_> = remains
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, words)| words(*count, language))
        .collect();
    if !remains.is_empty() {
        writeln!(out, "{FAINT}{}{FAINT:#}", remains.join(", "))?;
    }
    let style = match report.verdict() {
        _ if !report.problems.is_empty() => ERROR,
        Verdict::Fail => ERROR,
        Verdict::Warn => WARNING,
        Verdict::NotApplicable | Verdict::ToBeDeclared | Verdict::NotShown => FAINT,
        Verdict::Pass | Verdict::Explained | Verdict::Known => GOOD,
    };
    let (conclusion, about, with) = words::summary(report, language);
    writeln!(
        out,
        "{style}{conclusion}{style:#}: {about} {FAINT}{with}{FAINT:#}"
    )
}
