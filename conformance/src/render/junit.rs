//! JUnit XML: one suite per run, one case per rule, named after what is required, so that the name is as
//! true of a case that passes.
//!
//! A rule that is broken at or above the threshold is a failure; what lies below it, and what is
//! explained, is told in the output of the suite; rules that are about other messages, or that no
//! message can break, are skipped with the reason. An input that could not be read is an error of its
//! own case. The date is 1970-01-01 unless one is given.

use std::fmt::Write;

use super::{Language, escape, words};
use crate::report::{FailOn, Report, Reported, Row, Severity, Verdict};

pub(super) fn render(report: &Report, language: Language) -> String {
    let mut cases = String::new();
    let (mut tests, mut failures, mut skipped) = (0, 0, 0);
    for (row, verdict) in report.rows() {
        tests += 1;
        let class = class(report, row.rule.id);
        let name = format!("{} {}", row.rule.id, row.rule.requirement(language).0);
        let open = format!(
            "    <testcase classname=\"{class}\" name=\"{}\" time=\"0\"",
            escape(&name)
        );
        let content = match verdict {
            Verdict::NotApplicable | Verdict::NotShown => {
                skipped += 1;
                let why = match (report.why_not_tried(row.rule.id), verdict) {
                    (Some(why), _) => why.told(language),
                    (None, Verdict::NotShown) => words::NO_BREACH.told(language),
                    (None, verdict) => words::verdict(verdict).told(language),
                };
                skip(why)
            }
            _ if fails(report, row) => {
                failures += 1;
                failure(report, row, language)
            }
            _ => String::new(),
        };
        line(&mut cases, &open, &content);
    }
    // Rules that somebody set out to try; the others that only trying shows are no cases.
    let not_tested = report.not_tested();
    for entry in not_tested.filter(|entry| report.why_not_tried(&entry.id).is_some()) {
        tests += 1;
        skipped += 1;
        let name = format!("{} {}", entry.id, words::entry(entry, language).title);
        let open = format!(
            "    <testcase classname=\"{}\" name=\"{}\" time=\"0\"",
            class(report, &entry.id),
            escape(&name)
        );
        let why = words::why_not_tested(report, entry, language);
        line(&mut cases, &open, &skip(why));
    }
    for waived in report.waivers.iter().filter(|waived| waived.is_expired) {
        tests += 1;
        let is_failure = report.fail_on != FailOn::None;
        failures += u32::from(is_failure);
        let waiver = &waived.waiver;
        let open = format!(
            "    <testcase classname=\"waivers\" name=\"{} {}\" time=\"0\"",
            escape(&waiver.rule.id),
            waiver.until
        );
        let content = format!(
            "      <failure message=\"{} {}\" type=\"waiver\">{}: {}</failure>\n",
            words::EXPIRED.told(language),
            waiver.until,
            escape(&waiver.owner),
            escape(&waiver.reason)
        );
        line(&mut cases, &open, if is_failure { &content } else { "" });
    }
    for problem in &report.problems {
        tests += 1;
        let open = format!(
            "    <testcase classname=\"inputs\" name=\"{}\" time=\"0\"",
            token(&problem.input)
        );
        let told = escape(&words::problem(problem, language));
        let content = format!("      <error message=\"{told}\" type=\"input\">{told}</error>\n");
        line(&mut cases, &open, &content);
    }
    let errors = report.problems.len();
    let (profile, date) = (
        report.profile.name(),
        report
            .date
            .map_or_else(|| "1970-01-01".to_owned(), |date| date.to_string()),
    );
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites>\n  \
         <testsuite package=\"cenl-conformance\" id=\"0\" name=\"{profile}\" timestamp=\"{date}T00:00:00\" \
         hostname=\"localhost\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" \
         skipped=\"{skipped}\" time=\"0\">\n    \
         <properties>\n{}    </properties>\n\
         {cases}    \
         <system-out>{}</system-out>\n    \
         <system-err></system-err>\n  \
         </testsuite>\n\
         </testsuites>\n",
        properties(report, language),
        escape(&below(report, language)),
    )
}

/// A name without white space that is not single spaces, which the type of names demands.
fn token(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn line(cases: &mut String, open: &str, content: &str) {
    cases.push_str(open);
    match content {
        "" => cases.push_str("/>\n"),
        content => {
            cases.push_str(">\n");
            cases.push_str(content);
            cases.push_str("    </testcase>\n");
        }
    }
}

/// Profile and family: `nl-gov-1.1.KAFKA`.
fn class(report: &Report, id: &str) -> String {
    let family = id.split('-').next().unwrap_or_default();
    format!("{}.{family}", report.profile.name())
}

/// Why nothing is said of a rule.
fn skip(why: &str) -> String {
    format!("      <skipped message=\"{}\"/>\n", escape(why))
}

fn fails(report: &Report, row: &Row) -> bool {
    match report.fail_on {
        FailOn::None => false,
        FailOn::Warn => row.worst >= Some(Severity::Warning),
        FailOn::Error => row.worst == Some(Severity::Error),
    }
}

fn failure(report: &Report, row: &Row, language: Language) -> String {
    let severity = row
        .worst
        .map_or("", |severity| words::severity(severity).en);
    let mut told = String::new();
    for reported in report
        .findings_of(row.rule.id)
        .filter(|reported| reported.is_open())
    {
        told.push_str(&finding(report, reported, language));
    }
    let rule = row.rule;
    write!(
        told,
        "{}: {}\n{}: {}",
        words::FIX.told(language),
        rule.fix.told(language),
        words::CLAUSE.told(language),
        rule.clause
    )
    .expect("a text takes all");
    format!(
        "      <failure message=\"{} ({})\" type=\"{severity}\">{}</failure>\n",
        escape(rule.title.told(language)),
        row.broken,
        escape(&told)
    )
}

fn finding(report: &Report, reported: &Reported, language: Language) -> String {
    let finding = &reported.finding;
    let (spot, place) = (
        words::spot(report, reported),
        words::place(finding, language),
    );
    match &*finding.seen {
        "" => format!("{spot} {place}\n"),
        seen => format!("{spot} {place} «{seen}»\n"),
    }
}

/// What does not fail: files passed over, warnings below the threshold, notices, and what is explained.
fn below(report: &Report, language: Language) -> String {
    let skipped = report.skipped.iter();
    let skipped = skipped.map(|skipped| words::skipped(skipped, language));
    let mut told = String::new();
    for skipped in skipped.chain(words::skipped_unlisted(report, language)) {
        told.push_str(&format!("{}: {skipped}\n", words::SKIPPED.told(language)));
    }
    for reported in &report.findings {
        let rule = reported.finding.rule;
        let row = report.rows().find(|(row, _)| row.rule.id == rule.id);
        if reported.is_open() && row.is_some_and(|(row, _)| fails(report, row)) {
            continue;
        }
        let word = match reported.waiver {
            Some(_) => words::verdict(Verdict::Explained),
            None => words::severity(reported.finding.severity),
        };
        told.push_str(&format!(
            "{} {} {}: {}",
            word.told(language),
            rule.id,
            rule.title.told(language),
            finding(report, reported, language)
        ));
    }
    told
}

fn properties(report: &Report, language: Language) -> String {
    let mut properties = vec![
        ("profile".to_owned(), report.profile.name().to_owned()),
        ("version".to_owned(), super::VERSION.to_owned()),
        ("catalogue-sha256".to_owned(), crate::catalogue::sha256()),
        (
            "conclusion".to_owned(),
            words::conclusion(report).told(language).to_owned(),
        ),
        (
            "not-judged".to_owned(),
            report.counts.not_events.to_string(),
        ),
        (
            "exit-code".to_owned(),
            report.outcome().exit_code().to_string(),
        ),
    ];
    for input in &report.inputs {
        properties.push((format!("sha256 {}", input.name), input.sha256.clone()));
    }
    let line = |(name, value): &(String, String)| {
        format!(
            "      <property name=\"{}\" value=\"{}\"/>\n",
            token(name),
            escape(value)
        )
    };
    properties.iter().map(line).collect()
}
