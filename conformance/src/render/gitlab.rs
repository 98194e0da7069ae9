//! GitLab's report of code quality: a list of findings, each with a fingerprint by which a merge request
//! tells new ones from old ones.

use serde_json::json;

use super::{Language, pretty, words};
use crate::report::{Report, Severity};

/// GitLab's report of code quality.
#[must_use]
pub fn gitlab(report: &Report, language: Language) -> String {
    let open = report.findings.iter();
    let open = open.filter(|reported| reported.waiver.is_none());
    let findings = open.map(|reported| {
        json!({
            "check_name": reported.finding.rule.id,
            "description": words::told(reported, language),
            "fingerprint": reported.fingerprint,
            "severity": match reported.finding.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
                Severity::Notice => "info",
            },
            "location": {
                "path": report.input_name(reported),
                "lines": { "begin": reported.line },
            },
        })
    });
    let problems = report.problems.iter().map(|problem| {
        let line = problem.error.place().map_or(1, |(line, _)| line);
        let told = words::problem(problem, language);
        json!({
            "check_name": "input",
            "description": told,
            "fingerprint": crate::hashed::sha256(told.as_bytes()),
            "severity": "blocker",
            "location": { "path": problem.input, "lines": { "begin": line } },
        })
    });
    pretty(&findings.chain(problems).collect::<Vec<_>>())
}
