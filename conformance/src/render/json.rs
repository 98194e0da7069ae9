//! JSON in the format `cenl-report/1`. Members are only ever added; the README describes them.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Language, VERSION, faults, pretty, words};
use crate::catalogue::{self, Checkable};
use crate::report::{
    Counts, Declared, EventName, Input, Part, Place, Report, Reported, Row, Skip, Verdict, Waived,
};
use crate::rule::Level;

/// A JSON object whose members keep the order in which they are given.
#[derive(Default)]
struct Object(Vec<(&'static str, Member)>);

#[derive(Serialize)]
#[serde(untagged)]
enum Member {
    Plain(Value),
    Counts(Counts),
    List(Vec<Object>),
}

impl Object {
    fn with(self, name: &'static str, value: impl Serialize) -> Self {
        let value = serde_json::to_value(value).expect("texts and numbers only");
        self.push(name, Member::Plain(value))
    }

    fn optional(self, name: &'static str, value: Option<impl Serialize>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    fn list(self, name: &'static str, all: impl Iterator<Item = Self>) -> Self {
        self.push(name, Member::List(all.collect()))
    }

    fn push(mut self, name: &'static str, member: Member) -> Self {
        self.0.push((name, member));
        self
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, member)| (*name, member)))
    }
}

/// JSON in the format `cenl-report/1`, which the README describes.
#[must_use]
pub fn json(report: &Report, language: Language) -> String {
    let date = report.date.map(|date| date.to_string());
    let problems = report.problems.iter().map(|problem| {
        let place = problem.error.place();
        Object::default()
            .with("input", &problem.input)
            .with("line", place.map(|(line, _)| line))
            .with("column", place.and_then(|(_, column)| column))
            .with("problem", faults::fault(&problem.error, language))
    });
    let skipped = report.skipped.iter().map(|skipped| {
        let why = match skipped.why {
            Skip::Hidden => "hidden",
            Skip::Link => "link to a directory",
            Skip::Special => "not a file",
            Skip::Foreign => "foreign",
            Skip::Own => "own",
        };
        Object::default()
            .with("name", &skipped.name)
            .with("why", why)
    });
    let findings = report.findings.iter();
    let findings = findings.map(|one| finding(report, one, language));
    let rules = report.rows();
    let rules = rules.map(|(row, verdict)| rule(report, row, verdict, language));
    let declared = report.declared.iter();
    let declared = declared.map(|one| declaration(report, one, language));
    let tool = json!({ "name": "cenl-conformance", "version": VERSION });
    let settings = report.settings.as_ref();
    let settings = settings.map(|(name, sha256)| json!({ "name": name, "sha256": sha256 }));
    let document = Object::default()
        .with("format", "cenl-report/1")
        .with("tool", tool)
        .with("profile", report.profile.name())
        .with("overlays", &report.overlays)
        .with("catalogue_sha256", catalogue::sha256())
        .with("language", language.tag())
        .optional("date", date)
        .with("fail_on", format!("{:?}", report.fail_on).to_lowercase())
        .optional("settings", settings)
        .with("verdict", words::verdict(report.verdict()).en)
        .with("conclusion", words::conclusion(report).told(language))
        .with("exit_code", report.outcome().exit_code())
        .push("counts", Member::Counts(report.counts))
        .list("inputs", report.inputs.iter().map(input))
        .list("problems", problems)
        .list("skipped", skipped)
        .list("findings", findings)
        .list("rules", rules)
        .list("waivers", report.waivers.iter().map(waiver))
        .list("declarations", declared)
        .list("not_tested", not_tested(report, language));
    pretty(&document)
}

fn input(input: &Input) -> Object {
    let mark = input.has_byte_order_mark.then_some(true);
    let decoded = Some(input.taken_as_decoded).filter(|count| *count > 0);
    Object::default()
        .with("name", &input.name)
        .with("sha256", &input.sha256)
        .with("bytes", input.bytes)
        .with("messages", input.messages)
        .optional("byte_order_mark", mark)
        .optional("bodies_taken_as_decoded", decoded)
}

fn finding(report: &Report, reported: &Reported, language: Language) -> Object {
    let finding = &reported.finding;
    let level = finding.rule.level.of(report.profile);
    let level = level.map_or("", Level::keyword);
    let event = reported.event.as_ref();
    let event =
        event.map(|EventName { id, source, ty }| json!({ "id": id, "source": source, "type": ty }));
    let part = match finding.part {
        Part::Message => "message",
        Part::Response => "response",
    };
    Object::default()
        .with("rule", finding.rule.id)
        .with("severity", words::severity(finding.severity).en)
        .with("level", level)
        .with("title", finding.rule.title.told(language))
        .with("input", report.input_name(reported))
        .with("line", reported.line)
        .with("column", reported.column)
        .optional("position", reported.position.as_ref())
        .with("part", part)
        .with("element", finding.element)
        .with("place", place(&finding.place))
        .with("seen", &finding.seen)
        .with("fix", finding.rule.fix.told(language))
        .with("refused", finding.refuses)
        .with("event", event)
        .with("waiver", reported.waiver)
        .with("fingerprint", &reported.fingerprint)
}

fn place(place: &Place) -> Value {
    match place {
        Place::Header(name) => json!({ "kind": "header", "name": name }),
        Place::Member(pointer) => json!({ "kind": "member", "name": pointer }),
        unnamed => json!({ "kind": unnamed.to_string() }),
    }
}

fn rule(report: &Report, row: &Row, verdict: Verdict, language: Language) -> Object {
    let rule = row.rule;
    let why = report.why_not_tried(rule.id).filter(|_| row.applied == 0);
    let usual = row.usual.map(|usual| words::severity(usual).en);
    Object::default()
        .with("id", rule.id)
        .with("level", words::level(rule.level.of(report.profile)).en)
        .with("status", rule.status.word())
        .with("clause", rule.clause)
        .with("title", rule.title.told(language))
        .with("verdict", words::verdict(verdict).en)
        .with("applied", row.applied)
        .with("broken", row.broken)
        .with("explained", row.explained)
        .with("known", row.known)
        .optional("usual_severity", usual)
        .optional("why", why.map(|why| why.told(language)))
}

fn waiver(waived: &Waived) -> Object {
    let waiver = &waived.waiver;
    Object::default()
        .with("rule", &waiver.rule.id)
        .with("reason", &waiver.reason)
        .with("owner", &waiver.owner)
        .with("until", waiver.until.to_string())
        .with("source", &waiver.source)
        .with("type", &waiver.ty)
        .with("expired", waived.is_expired)
        .with("used", waived.used)
}

fn declaration(report: &Report, declared: &Declared, language: Language) -> Object {
    let (rule, declaration) = (declared.rule, declared.declaration.as_ref());
    let state = match declaration {
        Some(_) => words::IS_DECLARED,
        None => words::TO_BE_DECLARED,
    };
    Object::default()
        .with("rule", &rule.id)
        .with("level", words::level(rule.level(report.profile)).en)
        .with("clause", &rule.clause)
        .with("title", words::title(rule, language))
        .with("state", state.en)
        .with("reference", declaration.map(|told| &told.reference))
        .with("owner", declaration.map(|told| &told.owner))
        .with("date", declaration.map(|told| told.date.to_string()))
}

fn not_tested(report: &Report, language: Language) -> impl Iterator<Item = Object> {
    report.not_tested().map(move |entry| {
        let why = match entry.checkable {
            _ if report.leaves_out(entry) => "left out",
            _ if report.why_not_tried(&entry.id).is_some() => "not tried",
            Checkable::Live => "live",
            _ => "no check",
        };
        Object::default()
            .with("rule", &entry.id)
            .with("level", words::level(entry.level(report.profile)).en)
            .with("clause", &entry.clause)
            .with("why", why)
            .with("reason", words::why_not_tested(report, entry, language))
    })
}
