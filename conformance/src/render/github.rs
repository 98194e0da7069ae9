//! Annotations of GitHub's workflows: a line for each finding, which the page of a change shows beside
//! the file.

use super::{Language, words};
use crate::report::{Report, Reported, Severity, Verdict};

pub(super) fn render(report: &Report, language: Language) -> String {
    let mut out = String::new();
    for reported in &report.findings {
        out.push_str(&finding(report, reported, language));
    }
    for problem in &report.problems {
        let place = [("file", problem.input.clone())].into_iter();
        let line = problem
            .error
            .place()
            .map(|(line, _)| ("line", line.to_string()));
        let told = words::problem(problem, language);
        out.push_str(&command("error", place.chain(line), &told));
    }
    let (sentence, about, with) = words::summary(report, language);
    let told = format!("{sentence}: {about} {with}");
    let conclusion = match report.verdict() {
        Verdict::Fail => "error",
        _ if !report.problems.is_empty() => "error",
        Verdict::Warn => "warning",
        _ => "notice",
    };
    out.push_str(&command(conclusion, std::iter::empty(), &told));
    out
}

fn finding(report: &Report, reported: &Reported, language: Language) -> String {
    let finding = &reported.finding;
    let kind = match finding.severity {
        _ if reported.waiver.is_some() => "notice",
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "notice",
    };
    let place = [
        ("file", Some(report.input_name(reported).to_owned())),
        ("line", Some(reported.line.to_string())),
        ("col", reported.column.map(|column| column.to_string())),
        ("title", Some(finding.rule.id.to_owned())),
    ];
    let place = place
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    command(kind, place, &words::told(reported, language))
}

/// `::error file=a.json,line=1::text`, with what would end a part of it coded.
fn command(
    kind: &str,
    properties: impl Iterator<Item = (&'static str, String)>,
    text: &str,
) -> String {
    let coded = |text: &str| {
        text.replace('%', "%25")
            .replace('\r', "%0D")
            .replace('\n', "%0A")
    };
    let property = |(name, value): (&str, String)| {
        format!(
            "{name}={}",
            coded(&value).replace(':', "%3A").replace(',', "%2C")
        )
    };
    let properties = properties.map(property).collect::<Vec<_>>().join(",");
    let space = if properties.is_empty() { "" } else { " " };
    format!("::{kind}{space}{properties}::{}\n", coded(text))
}
