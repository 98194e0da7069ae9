//! SARIF 2.1.0, the form in which code hosts take findings.
//!
//! Every rule that was broken is described, in the language of the report; the text that was seen
//! is part of the message, because hosts show little else. What a waiver explains is a result that is
//! suppressed, with the reason as justification.

use serde_json::{Value, json};

use super::{Language, VERSION, faults, pretty, words};
use crate::catalogue;
use crate::report::{NotTried, Outcome, Report, Reported, Row, Severity};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// SARIF 2.1.0.
#[must_use]
pub fn sarif(report: &Report, language: Language) -> String {
    let broken: Vec<&Row> = report.found().collect();
    let results = report.findings.iter().map(|reported| {
        let id = reported.finding.rule.id;
        let index = broken.iter().position(|row| row.rule.id == id);
        result(report, reported, index, language)
    });
    let notifications = report.problems.iter().map(|problem| {
        let mut location = json!({ "artifactLocation": { "uri": uri(&problem.input) } });
        if let Some((line, column)) = problem.error.place() {
            location["region"] = region(line, column);
        }
        json!({
            "level": "error",
            "message": { "text": faults::fault(&problem.error, language) },
            "locations": [{ "physicalLocation": location }],
        })
    });
    let skipped = report.skipped.iter().map(|skipped| {
        json!({
            "level": "note",
            "message": { "text": format!("{}: {}", words::SKIPPED.told(language), words::skipped(skipped, language)) },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(&skipped.name) } } }],
        })
    });
    let not_tried = report.not_tried.iter().map(|NotTried { rule, why }| {
        let state = words::NOT_TESTED.told(language);
        json!({
            "level": "note",
            "associatedRule": { "id": rule.id },
            "message": { "text": format!("{state}: {} ({})", rule.id, why.told(language)) },
        })
    });
    let notifications = notifications.chain(skipped).chain(not_tried);
    let outcome = report.outcome();
    let run = json!({
        "tool": { "driver": {
            "name": "cenl-conformance",
            "version": VERSION,
            "language": language.tag(),
            "rules": broken.iter().map(|row| rule(report, row, language)).collect::<Vec<_>>(),
            "properties": { "catalogueSha256": catalogue::sha256(), "profile": report.profile.name() },
        }},
        "language": language.tag(),
        "columnKind": "unicodeCodePoints",
        "invocations": [{
            "executionSuccessful": outcome != Outcome::NotChecked,
            "exitCode": outcome.exit_code(),
            "toolExecutionNotifications": notifications.collect::<Vec<_>>(),
        }],
        "artifacts": report.inputs.iter().map(|input| json!({
            "location": { "uri": uri(&input.name) },
            "length": input.bytes,
            "hashes": { "sha-256": input.sha256 },
        })).collect::<Vec<_>>(),
        "results": results.collect::<Vec<_>>(),
        "properties": {
            "conclusion": words::conclusion(report).told(language),
            "messages": report.counts.messages,
            "notJudged": report.counts.not_events,
            "skipped": report.counts.skipped,
            "leftOut": report.counts.left_out,
            "rulesLeftOut": report.rules_left_out(),
            "rulesNotShown": report.not_shown().count(),
            "rulesTried": report.counts.tried,
        },
    });
    pretty(&json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] }))
}

fn rule(report: &Report, row: &Row, language: Language) -> Value {
    let rule = row.rule;
    let level = words::level(rule.level.of(report.profile)).en;
    let severities = report.findings_of(rule.id);
    let worst = severities.map(|reported| reported.finding.severity).max();
    let mut described = json!({
        "id": rule.id,
        "shortDescription": { "text": rule.title.told(language) },
        "fullDescription": { "text": rule.explanation.told(language) },
        "help": { "text": format!(
            "{}\n\n{}: {}\n\n{}: {}\n\n{}: {}",
            rule.explanation.told(language),
            words::why(rule).told(language), rule.why.told(language),
            words::FIX.told(language), rule.fix.told(language),
            words::CLAUSE.told(language), rule.clause,
        ) },
        "defaultConfiguration": { "level": level_word(worst.unwrap_or(Severity::Notice)) },
        "properties": { "clause": rule.clause, "level": level, "status": rule.status.word() },
    });
    if let Some(entry) = catalogue::entry(rule.id) {
        described["helpUri"] = json!(entry.address());
    }
    described
}

fn result(report: &Report, reported: &Reported, index: Option<usize>, language: Language) -> Value {
    let finding = &reported.finding;
    let place = words::place(finding, language);
    let mut result = json!({
        "ruleId": finding.rule.id,
        "ruleIndex": index,
        "level": level_word(finding.severity),
        "message": { "text": words::told(reported, language) },
        "partialFingerprints": { "cenl/v1": reported.fingerprint },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(report.input_name(reported)), "index": reported.input },
                "region": region(reported.line, reported.column),
            },
            "logicalLocations": [{ "fullyQualifiedName": place }],
        }],
    });
    if report.baseline.is_some() {
        result["baselineState"] = json!("new");
    }
    if let Some(waived) = reported.waiver.and_then(|at| report.waivers.get(at)) {
        let waiver = &waived.waiver;
        let word = words::UNTIL.told(language).to_lowercase();
        let (reason, owner, until) = (&waiver.reason, &waiver.owner, waiver.until);
        let justification = format!("{reason} ({owner}, {word} {until})");
        result["suppressions"] = json!([{ "kind": "external", "justification": justification }]);
    }
    result
}

fn region(line: u64, column: Option<usize>) -> Value {
    match column {
        Some(column) => json!({ "startLine": line, "startColumn": column }),
        None => json!({ "startLine": line }),
    }
}

fn level_word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Notice => "note",
    }
}

/// A path as a URI reference: what no URI has is percent-coded.
fn uri(path: &str) -> String {
    let coded = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) => {
            char::from(byte).to_string()
        }
        byte => format!("%{byte:02X}"),
    };
    match path {
        "-" => "stdin".to_owned(),
        path => path.bytes().map(coded).collect(),
    }
}
