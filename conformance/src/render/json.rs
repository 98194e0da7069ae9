//! JSON in the format `cenl-report/1`. Members are only ever added; the README describes them.

use serde::Serialize;

use super::{Language, VERSION, faults, words};
use crate::catalogue::{self, Checkable};
use crate::report::{Counts, Finding, Part, Place, Report, Reported, Skip, Verdict};

#[derive(Serialize)]
struct Document<'r> {
    format: &'static str,
    tool: Tool,
    profile: &'static str,
    overlays: &'r [String],
    catalogue_sha256: String,
    language: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    fail_on: &'static str,
    verdict: &'static str,
    conclusion: &'static str,
    exit_code: u8,
    counts: Numbers,
    inputs: Vec<Input<'r>>,
    problems: Vec<Problem<'r>>,
    skipped: Vec<Skipped<'r>>,
    findings: Vec<Listed<'r>>,
    rules: Vec<Rule<'r>>,
    waivers: Vec<Waiver<'r>>,
    declarations: Vec<Declaration<'r>>,
    not_tested: Vec<NotTested<'r>>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Numbers {
    messages: u64,
    events: u64,
    passed: u64,
    warned: u64,
    failed: u64,
    explained: u64,
    not_events: u64,
    unread: u64,
    tried: u64,
    errors: u64,
    warnings: u64,
    notices: u64,
    waived: u64,
    known: u64,
    left_out: u64,
    problems_left_out: u64,
    skipped: u64,
}

#[derive(Serialize)]
struct Input<'r> {
    name: &'r str,
    sha256: &'r str,
    bytes: u64,
    messages: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    byte_order_mark: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    bodies_taken_as_decoded: Option<u64>,
}

#[derive(Serialize)]
struct Problem<'r> {
    input: &'r str,
    line: Option<u64>,
    column: Option<usize>,
    problem: String,
}

#[derive(Serialize)]
struct Skipped<'r> {
    name: &'r str,
    why: &'static str,
}

#[derive(Serialize)]
struct Listed<'r> {
    rule: &'static str,
    severity: &'static str,
    level: &'static str,
    title: &'static str,
    input: &'r str,
    line: u64,
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    position: Option<&'r str>,
    part: &'static str,
    element: Option<usize>,
    place: Where<'r>,
    seen: &'r str,
    fix: &'static str,
    refused: bool,
    event: Option<Event<'r>>,
    waiver: Option<usize>,
    fingerprint: &'r str,
}

#[derive(Serialize)]
struct Where<'r> {
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'r str>,
}

#[derive(Serialize)]
struct Event<'r> {
    id: &'r str,
    source: &'r str,
    r#type: &'r str,
}

#[derive(Serialize)]
struct Rule<'r> {
    id: &'static str,
    level: &'static str,
    status: &'static str,
    clause: &'static str,
    title: &'static str,
    verdict: &'static str,
    applied: u64,
    broken: u64,
    explained: u64,
    known: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'r str>,
}

#[derive(Serialize)]
struct Waiver<'r> {
    rule: &'r str,
    reason: &'r str,
    owner: &'r str,
    until: String,
    source: Option<&'r str>,
    r#type: Option<&'r str>,
    expired: bool,
    used: u64,
}

#[derive(Serialize)]
struct Declaration<'r> {
    rule: &'r str,
    level: &'static str,
    clause: &'r str,
    title: &'r str,
    state: &'static str,
    reference: Option<&'r str>,
    owner: Option<&'r str>,
    date: Option<String>,
}

#[derive(Serialize)]
struct NotTested<'r> {
    rule: &'r str,
    level: &'static str,
    clause: &'r str,
    why: &'static str,
    reason: &'r str,
}

pub(super) fn render(report: &Report, language: Language) -> String {
    let keyword = |entry: &catalogue::Entry| {
        let level = entry.level(report.profile);
        level.map_or("", |level| level.keyword())
    };
    let rules = report.rows().map(|(row, verdict)| Rule {
        id: row.rule.id,
        level: row
            .rule
            .level
            .of(report.profile)
            .map_or("", |level| level.keyword()),
        status: row.rule.status.word(),
        clause: row.rule.clause,
        title: row.rule.title.told(language),
        verdict: word(verdict),
        applied: row.applied,
        broken: row.broken,
        explained: row.explained,
        known: row.known,
        why: (row.applied == 0)
            .then(|| report.why_not_tried(row.rule.id))
            .flatten()
            .map(|why| why.told(language)),
    });
    let not_tested = report.not_tested().map(|entry| NotTested {
        rule: &entry.id,
        level: keyword(entry),
        clause: &entry.clause,
        why: match entry.checkable {
            _ if report.left_out.contains(&&*entry.id) => "left out",
            _ if report.why_not_tried(&entry.id).is_some() => "not tried",
            Checkable::Live => "live",
            _ => "no check",
        },
        reason: words::why_not_tested(report, entry, language),
    });
    let document = Document {
        format: "cenl-report/1",
        tool: Tool {
            name: "cenl-conformance",
            version: VERSION,
        },
        profile: report.profile.name(),
        overlays: &report.overlays,
        catalogue_sha256: catalogue::sha256(),
        language: language.tag(),
        date: report.date.map(|date| date.to_string()),
        fail_on: words::fail_on(report.fail_on),
        verdict: word(report.verdict()),
        conclusion: words::conclusion(report).told(language),
        exit_code: report.outcome().exit_code(),
        counts: report.counts.into(),
        inputs: inputs(report),
        problems: problems(report, language),
        skipped: skipped(report),
        findings: report
            .findings
            .iter()
            .map(|one| listed(report, one, language))
            .collect(),
        rules: rules.collect(),
        waivers: waivers(report),
        declarations: declarations(report, language),
        not_tested: not_tested.collect(),
    };
    let mut text = serde_json::to_string_pretty(&document).expect("texts and numbers only");
    text.push('\n');
    text
}

fn inputs(report: &Report) -> Vec<Input<'_>> {
    let inputs = report.inputs.iter().map(|input| Input {
        name: &input.name,
        sha256: &input.sha256,
        bytes: input.bytes,
        messages: input.messages,
        byte_order_mark: input.has_byte_order_mark,
        bodies_taken_as_decoded: Some(input.taken_as_decoded).filter(|count| *count > 0),
    });
    inputs.collect()
}

fn problems(report: &Report, language: Language) -> Vec<Problem<'_>> {
    let problems = report.problems.iter().map(|problem| {
        let place = problem.error.place();
        Problem {
            input: &problem.input,
            line: place.map(|(line, _)| line),
            column: place.and_then(|(_, column)| column),
            problem: faults::fault(&problem.error, language),
        }
    });
    problems.collect()
}

fn skipped(report: &Report) -> Vec<Skipped<'_>> {
    let skipped = report.skipped.iter().map(|skipped| Skipped {
        name: &skipped.name,
        why: match skipped.why {
            Skip::Hidden => "hidden",
            Skip::Link => "link to a directory",
            Skip::Special => "not a file",
            Skip::Foreign => "foreign",
        },
    });
    skipped.collect()
}

fn listed<'r>(report: &'r Report, reported: &'r Reported, language: Language) -> Listed<'r> {
    let finding = &reported.finding;
    let level = finding.rule.level.of(report.profile);
    Listed {
        rule: finding.rule.id,
        severity: words::severity(finding.severity).en,
        level: level.map_or("", |level| level.keyword()),
        title: finding.rule.title.told(language),
        input: report.input_name(reported),
        line: reported.line,
        column: reported.column,
        position: reported.position.as_deref(),
        part: match finding.part {
            Part::Message => "message",
            Part::Response => "response",
        },
        element: finding.element,
        place: place(finding),
        seen: &finding.seen,
        fix: finding.rule.fix.told(language),
        refused: finding.refuses,
        event: reported.event.as_ref().map(|event| Event {
            id: &event.id,
            source: &event.source,
            r#type: &event.ty,
        }),
        waiver: reported.waiver,
        fingerprint: &reported.fingerprint,
    }
}

fn place(finding: &Finding) -> Where<'_> {
    let (kind, name) = match &finding.place {
        Place::Message => ("message", None),
        Place::Method => ("method", None),
        Place::Target => ("target", None),
        Place::Status => ("status", None),
        Place::Header(name) => ("header", Some(&**name)),
        Place::Body => ("body", None),
        Place::Member(pointer) => ("member", Some(&**pointer)),
    };
    Where { kind, name }
}

fn waivers(report: &Report) -> Vec<Waiver<'_>> {
    let waivers = report.waivers.iter().map(|waived| Waiver {
        rule: &waived.waiver.rule.id,
        reason: &waived.waiver.reason,
        owner: &waived.waiver.owner,
        until: waived.waiver.until.to_string(),
        source: waived.waiver.source.as_deref(),
        r#type: waived.waiver.ty.as_deref(),
        expired: waived.is_expired,
        used: waived.used,
    });
    waivers.collect()
}

fn declarations(report: &Report, language: Language) -> Vec<Declaration<'_>> {
    let declared = report.declared.iter().map(|declared| {
        let declaration = declared.declaration.as_ref();
        let level = declared.rule.level(report.profile);
        Declaration {
            rule: &declared.rule.id,
            level: level.map_or("", |level| level.keyword()),
            clause: &declared.rule.clause,
            title: words::entry(declared.rule, language).title,
            state: match declaration {
                Some(_) => "declared",
                None => "to be declared",
            },
            reference: declaration.map(|declaration| &*declaration.reference),
            owner: declaration.map(|declaration| &*declaration.owner),
            date: declaration.map(|declaration| declaration.date.to_string()),
        }
    });
    declared.collect()
}

fn word(verdict: Verdict) -> &'static str {
    words::verdict(verdict).en
}

impl From<Counts> for Numbers {
    fn from(counts: Counts) -> Self {
        Self {
            messages: counts.messages,
            events: counts.events,
            passed: counts.passed,
            warned: counts.warned,
            failed: counts.failed,
            explained: counts.explained,
            not_events: counts.not_events,
            unread: counts.unread,
            tried: counts.tried,
            errors: counts.errors,
            warnings: counts.warnings,
            notices: counts.notices,
            waived: counts.waived,
            known: counts.known,
            left_out: counts.left_out,
            problems_left_out: counts.problems_left_out,
            skipped: counts.skipped,
        }
    }
}
