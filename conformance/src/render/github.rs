//! Annotations of GitHub's workflows: a line for each finding, which the page of a change shows beside
//! the file.

use super::{Language, words};
use crate::report::{Report, Reported, Verdict};

/// Annotations of GitHub's workflows.
#[must_use]
pub fn github(report: &Report, language: Language) -> String {
    let findings = report.findings.iter();
    let findings = findings.map(|reported| finding(report, reported, language));
    let problems = report.problems.iter().map(|problem| {
        let line = problem.error.place().map(|(line, _)| line.to_string());
        let place = [("file", Some(problem.input.clone())), ("line", line)];
        command("error", &place, &words::problem(problem, language))
    });
    let (sentence, about, with) = words::summary(report, language);
    let told = format!("{sentence}: {about} {with}");
    let conclusion = match report.verdict() {
        Verdict::Fail => "error",
        _ if !report.problems.is_empty() => "error",
        Verdict::Warn => "warning",
        _ => "notice",
    };
    let conclusion = command(conclusion, &[], &told);
    findings.chain(problems).chain([conclusion]).collect()
}

fn finding(report: &Report, reported: &Reported, language: Language) -> String {
    let finding = &reported.finding;
    let kind = match finding.severity {
        _ if reported.waiver.is_some() => "notice",
        severity => words::severity(severity).en,
    };
    let place = [
        ("file", Some(report.input_name(reported).to_owned())),
        ("line", Some(reported.line.to_string())),
        ("col", reported.column.map(|column| column.to_string())),
        ("title", Some(finding.rule.id.to_owned())),
    ];
    command(kind, &place, &words::told(reported, language))
}

/// `::error file=a.json,line=1::text`, with what would end a part of it coded.
fn command(kind: &str, properties: &[(&str, Option<String>)], text: &str) -> String {
    let coded = |text: &str| {
        let text = text.replace('%', "%25");
        text.replace('\r', "%0D").replace('\n', "%0A")
    };
    let property = |(name, value): &(&str, Option<String>)| {
        let value = coded(value.as_deref()?).replace(':', "%3A");
        Some(format!("{name}={}", value.replace(',', "%2C")))
    };
    let properties: Vec<_> = properties.iter().filter_map(property).collect();
    let properties = properties.join(",");
    let space = if properties.is_empty() { "" } else { " " };
    format!("::{kind}{space}{properties}::{}\n", coded(text))
}
