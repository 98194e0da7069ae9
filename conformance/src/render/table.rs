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
    for waived in &report.waivers {
        let (style, state) = match waived {
            waived if waived.is_expired => (ERROR, words::EXPIRED),
            waived if waived.used == 0 => (WARNING, words::UNUSED),
            _ => continue,
        };
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
    for NotTried { rule, why } in &report.not_tried {
        let (state, why) = (words::NOT_TESTED.told(language), why.told(language));
        let (id, required) = (rule.id, rule.requirement(language).0);
        writeln!(out, "{FAINT}{state}: {id} {required}: {why}{FAINT:#}")?;
    }
    for input in &report.inputs {
        for note in words::notes(input, language) {
            writeln!(out, "{FAINT}{}: {note}{FAINT:#}", input.name)?;
        }
    }
    let skipped = report.skipped.iter();
    let skipped = skipped.map(|skipped| words::skipped(skipped, language));
    let word = words::SKIPPED.told(language);
    for told in skipped.chain(words::skipped_unlisted(report, language)) {
        writeln!(out, "{FAINT}{word}: {told}{FAINT:#}")?;
    }
    for problem in &report.problems {
        let told = words::problem(problem, language);
        writeln!(out, "{ERROR}!{ERROR:#} {told}")?;
    }
    summary(out, report, language)
}

fn rule(out: &mut String, report: &Report, row: &Row, language: Language) -> std::fmt::Result {
    let rule = row.rule;
    let level = words::level(rule.level.of(report.profile)).en;
    let weighed = words::weighed(row, "; ", language);
    let style = match row.worst {
        Some(Severity::Error) => ERROR,
        Some(Severity::Warning) => WARNING,
        Some(Severity::Notice) | None => FAINT,
    };
    let explained = words::verdict(Verdict::Explained);
    let word = row.worst.map_or(explained, words::severity);
    writeln!(
        out,
        "{style}{}{style:#} {BOLD}{}{BOLD:#} {} {FAINT}({level}; {}{weighed}){FAINT:#}",
        word.told(language),
        rule.id,
        rule.title.told(language),
        rule.clause,
    )?;
    let mut shown = 0;
    for reported in report.findings_of(rule.id).take(MOST_PLACES) {
        writeln!(out, "    {}", place(report, reported, language))?;
        shown += 1;
    }
    let total = row.broken + row.explained;
    if total > shown {
        writeln!(out, "    … {}", words::more(total - shown, language))?;
    }
    let (fix, told) = (words::FIX.told(language), rule.fix.told(language));
    writeln!(out, "    {fix}: {told}\n")
}

fn place(report: &Report, reported: &Reported, language: Language) -> String {
    let finding = &reported.finding;
    let spot = words::spot(report, reported);
    let place = words::place(finding, language);
    let seen = (!finding.seen.is_empty()).then(|| format!("«{}»", finding.seen));
    let explained = words::verdict(Verdict::Explained).told(language).to_owned();
    let explained = reported.waiver.map(|_| explained);
    let more = [seen, reported.position.clone(), explained];
    let more = more.into_iter().flatten();
    let more = more.map(|told| format!("  {FAINT}{told}{FAINT:#}"));
    format!("{spot}  {place}{}", more.collect::<String>())
}

fn summary(out: &mut String, report: &Report, language: Language) -> std::fmt::Result {
    let open = report.declared.iter();
    let open = open.filter(|declared| declared.declaration.is_none());
    let some = |count: usize, words| words::some(count as u64, words, language);
    let remains = [
        some(open.count(), words::rules_to_declare),
        some(report.not_shown().count(), words::rules_not_shown),
        some(report.not_tested().count(), words::rules_not_tested),
    ];
    let remains: Vec<_> = remains.into_iter().flatten().collect();
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
