//! The sections, in the order of the file. One that has nothing to say is left out.

use super::super::{Language, VERSION, escape, words};
use super::table::table;
use crate::catalogue;
use crate::report::{Report, Reported, Row, Severity, Verdict, Waived};
use crate::rule::Profile;

/// The name of a profile, for people.
pub(super) fn profile_name(profile: Profile) -> &'static str {
    match profile {
        Profile::CloudEvents10 => "CloudEvents 1.0",
        Profile::NlGov10 => "NL GOV profile for CloudEvents 1.0",
        Profile::NlGov11 => "NL GOV profile for CloudEvents 1.1",
    }
}

pub(super) fn problems(report: &Report, language: Language) -> String {
    if report.problems.is_empty() {
        return String::new();
    }
    let problems = report.problems.iter();
    let list = list(problems.map(|problem| words::problem(problem, language)));
    section("problems", words::PROBLEMS.told(language), &list)
}

/// Every broken rule with its texts and its findings, the gravest first.
pub(super) fn findings(report: &Report, language: Language) -> String {
    let rows = report.gravest();
    if rows.is_empty() {
        return String::new();
    }
    let rules = rows.iter().map(|row| broken(report, row, language));
    let rules = rules.collect::<String>();
    section("findings", words::FINDINGS.told(language), &rules)
}

fn broken(report: &Report, row: &Row, language: Language) -> String {
    let rule = row.rule;
    let (class, word) = match row.worst {
        Some(severity) => (severity_class(severity), words::severity(severity)),
        None => ("pass", words::verdict(Verdict::Explained)),
    };
    let level = words::level(rule.level.of(report.profile)).told(language);
    let weighed = words::weighed(row, " · ", language);
    let headers = [words::PLACE, words::SEEN, words::EVENT];
    let findings = report.findings_of(rule.id);
    let cells = findings.map(|reported| finding(report, reported, language));
    let caption = format!("{} {}", words::FINDINGS.told(language), rule.id);
    let listed = report.findings_of(rule.id).count() as u64;
    let rest = match (row.broken + row.explained).saturating_sub(listed) {
        0 => String::new(),
        rest => format!("<p>… {rest} {}</p>\n", words::MORE.told(language)),
    };
    format!(
        "<article aria-labelledby=\"rule-{id}\">\n\
         <h3 id=\"rule-{id}\"><span class=\"tag {class}\">{}</span> <code>{id}</code> {}</h3>\n\
         <p>{}</p>\n<p><strong>{}:</strong> {}</p>\n<p><strong>{}:</strong> {}</p>\n\
         <p class=\"clause\">{level} · {}{weighed}</p>\n{}{rest}</article>\n",
        word.told(language),
        text(rule.title.told(language)),
        text(rule.explanation.told(language)),
        words::why(rule).told(language),
        text(rule.why.told(language)),
        words::FIX.told(language),
        text(rule.fix.told(language)),
        escape(rule.clause),
        table(&caption, &headers, language, cells),
        id = escape(rule.id),
    )
}

fn finding(report: &Report, reported: &Reported, language: Language) -> Vec<String> {
    let finding = &reported.finding;
    let mut place = code(&words::place(finding, language));
    place.push_str(&format!("<br>{}", escape(&words::spot(report, reported))));
    if let Some(position) = &reported.position {
        place.push_str(&format!("<br>{}", escape(position)));
    }
    let mut seen = match &*finding.seen {
        "" => format!("<em>{}</em>", words::NOTHING_SEEN.told(language)),
        seen => code(seen),
    };
    if let Some(waived) = reported.waiver.and_then(|at| report.waivers.get(at)) {
        let explained = tag("pass", words::verdict(Verdict::Explained).told(language));
        let reason = escape(&waived.waiver.reason);
        seen.push_str(&format!("<br>{explained} {reason}"));
    }
    let event = reported.event.clone().unwrap_or_default();
    let parts = [
        ("id", event.id),
        ("source", event.source),
        ("type", event.ty),
    ];
    let shown = parts.iter().filter(|(_, text)| !text.is_empty());
    let shown = shown.map(|(name, text)| format!("{name} {}", code(text)));
    vec![place, seen, shown.collect::<Vec<_>>().join("<br>")]
}

pub(super) fn waivers(report: &Report, language: Language) -> String {
    if report.waivers.is_empty() {
        return String::new();
    }
    let headers = [
        words::RULE,
        words::REASON,
        words::OWNER,
        words::UNTIL,
        words::ABOUT,
        words::USED,
        words::STATE,
    ];
    let rows = report.waivers.iter().map(|waived| waiver(waived, language));
    let heading = words::WAIVERS.told(language);
    let table = table(heading, &headers, language, rows);
    section("waivers", heading, &table)
}

fn waiver(waived: &Waived, language: Language) -> Vec<String> {
    let waiver = &waived.waiver;
    let patterns = [("source", &waiver.source), ("type", &waiver.ty)];
    let pattern = |(name, pattern): &(&str, &Option<String>)| {
        Some(format!("{name} {}", code(pattern.as_deref()?)))
    };
    let about: Vec<String> = patterns.iter().filter_map(pattern).collect();
    let about = match about.as_slice() {
        [] => words::ALL_EVENTS.told(language).to_owned(),
        about => about.join("<br>"),
    };
    let (class, state) = match () {
        () if waived.is_expired => ("fail", words::EXPIRED),
        () if waived.used == 0 => ("warn", words::UNUSED),
        () => ("pass", words::HOLDS),
    };
    vec![
        id(&waiver.rule.id),
        escape(&waiver.reason),
        escape(&waiver.owner),
        format!("<span class=\"id\">{}</span>", waiver.until),
        about,
        waived.used.to_string(),
        tag(class, state.told(language)),
    ]
}

pub(super) fn inputs(report: &Report, language: Language) -> String {
    let rows = report.inputs.iter().map(|input| {
        let notes = words::notes(input, language).into_iter();
        let notes: String = notes.map(|note| format!("<br>{}", escape(&note))).collect();
        let (messages, bytes) = (input.messages.to_string(), input.bytes.to_string());
        vec![format!("{}{notes}", code(&input.name)), messages, bytes]
    });
    let heading = words::INPUTS.told(language);
    let headers = [words::INPUT, words::MESSAGES, words::BYTES];
    let table = table(heading, &headers, language, rows);
    section("inputs", heading, &(table + &skipped(report, language)))
}

/// The files of directories that were passed over.
fn skipped(report: &Report, language: Language) -> String {
    if report.skipped.is_empty() {
        return String::new();
    }
    let items = report.skipped.iter();
    let items = items.map(|skipped| words::skipped(skipped, language));
    let items = list(items.chain(words::skipped_unlisted(report, language)));
    format!("<p>{}:</p>\n{items}", words::SKIPPED.told(language))
}

/// Every rule with a check, whether or not it is about what was checked, folded: most readers need none
/// of them.
pub(super) fn rules(report: &Report, language: Language) -> String {
    let headers = [
        words::REQUIRED,
        words::LEVEL,
        words::CLAUSE,
        words::CHECKED,
        words::BROKEN,
        words::VERDICT,
    ];
    let rows = report.rows().map(|(row, verdict)| {
        let rule = row.rule;
        let level = words::level(rule.level.of(report.profile)).told(language);
        // A number would say that messages were held against it.
        let count = |count: u64| match verdict {
            Verdict::NotShown => "–".to_owned(),
            _ => count.to_string(),
        };
        let (required, more) = rule.requirement(language);
        // A notice breaks nothing that counts, and is not nothing.
        let (class, told) = match row.worst {
            Some(Severity::Notice) => ("none", words::severity(Severity::Notice)),
            _ => (verdict_class(verdict), words::verdict(verdict)),
        };
        let weighed = words::weighed(row, "<br>", language);
        vec![
            head(rule.id, required, &text(more)),
            level.to_owned(),
            escape(rule.clause),
            count(row.applied),
            count(row.broken),
            match report.why_not_tried(rule.id) {
                Some(why) if row.applied == 0 => escape(why.told(language)),
                _ => tag(class, told.told(language)) + &weighed,
            },
        ]
    });
    let (word, count) = (words::RULES.told(language), report.rows().count());
    let heading = format!("{word} ({count})");
    let table = table(&heading, &headers, language, rows);
    let about = escape(words::NOT_SHOWN_ABOUT.told(language));
    format!(
        "<section aria-labelledby=\"rules\">\n<details>\n\
         <summary><h2 id=\"rules\">{heading}</h2></summary>\n\
         <p>{about}</p>\n{table}</details>\n</section>\n"
    )
}

/// The check list of rules that only a document can show.
pub(super) fn declared(report: &Report, language: Language) -> String {
    if report.declared.is_empty() {
        return String::new();
    }
    let headers = [words::RULE, words::EVIDENCE, words::STATE, words::REFERENCE];
    let rows = report.declared.iter().map(|declared| {
        let texts = catalogue::texts(&declared.rule.id);
        let evidence = texts.map_or("", |texts| &texts.told(language).evidence);
        let title = words::title(declared.rule, language);
        let clause = escape(&declared.rule.clause);
        let (class, sign, state) = match &declared.declaration {
            None => ("warn", '☐', words::TO_BE_DECLARED),
            Some(_) => ("pass", '☑', words::IS_DECLARED),
        };
        let reference = declared.declaration.as_ref().map(|declaration| {
            let (reference, owner) = (&declaration.reference, &declaration.owner);
            let (reference, owner) = (escape(reference), escape(owner));
            format!("{reference}<br>{owner}, {}", declaration.date)
        });
        vec![
            head(&declared.rule.id, title, &clause),
            text(evidence),
            tag(class, &format!("{sign} {}", state.told(language))),
            reference.unwrap_or_default(),
        ]
    });
    let heading = words::DECLARED.told(language);
    let about = format!("<p>{}</p>\n", words::DECLARED_ABOUT.told(language));
    let table = table(heading, &headers, language, rows);
    section("declared", heading, &(about + &table))
}

pub(super) fn not_tested(report: &Report, language: Language) -> String {
    let rows = report.not_tested().map(|entry| {
        let title = text(words::title(entry, language));
        vec![
            format!("{} {title}", id(&entry.id)),
            escape(&entry.clause),
            escape(words::why_not_tested(report, entry, language)),
        ]
    });
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return String::new();
    }
    let heading = words::NOT_TESTED.told(language);
    let headers = [words::RULE, words::CLAUSE, words::REASON];
    let table = table(heading, &headers, language, rows);
    section("not-tested", heading, &table)
}

pub(super) fn versions(report: &Report, language: Language) -> String {
    let fact = |name: &str, value: &str| format!("<dt>{}</dt><dd>{value}</dd>\n", escape(name));
    let tool = format!("cenl-conformance {VERSION}");
    let (profile, catalogue) = (code(&words::profile(report)), code(&catalogue::sha256()));
    let facts = [
        fact(words::TOOL.told(language), &tool),
        fact(words::PROFILE.told(language), &profile),
        fact(words::CATALOGUE.told(language), &catalogue),
    ];
    let hash = |name: &str, sha256: &str| fact(&format!("{name} (SHA-256)"), &code(sha256));
    let word = words::SETTINGS.told(language);
    let settings = report.settings.iter();
    let settings = settings.map(|(name, sha256)| hash(&format!("{word}: {name}"), sha256));
    let inputs = report.inputs.iter();
    let inputs = inputs.map(|input| hash(&input.name, &input.sha256));
    let facts: String = facts.into_iter().chain(settings).chain(inputs).collect();
    let list = format!("<dl>\n{facts}</dl>\n");
    section("versions", words::VERSIONS.told(language), &list)
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items = items.map(|item| format!("<li>{}</li>\n", escape(&item)));
    format!("<ul>\n{}</ul>\n", items.collect::<String>())
}

fn code(text: &str) -> String {
    format!("<code>{}</code>", escape(text))
}

/// The name of a rule.
fn id(id: &str) -> String {
    format!("<code class=\"id\">{}</code>", escape(id))
}

/// The cell that heads the row of a rule; `more` is HTML.
fn head(rule: &str, title: &str, more: &str) -> String {
    let (id, title) = (id(rule), text(title));
    format!("{id} {title}<br><span class=\"clause\">{more}</span>")
}

fn section(id: &str, heading: &str, content: &str) -> String {
    format!(
        "<section aria-labelledby=\"{id}\">\n<h2 id=\"{id}\">{}</h2>\n{content}</section>\n",
        escape(heading)
    )
}

fn tag(class: &str, text: &str) -> String {
    format!("<span class=\"tag {class}\">{}</span>", escape(text))
}

/// A text of a rule, in which backquotes stand around names.
fn text(text: &str) -> String {
    let mut html = String::new();
    for (at, part) in escape(text).split('`').enumerate() {
        match at % 2 {
            0 => html.push_str(part),
            _ => html.push_str(&format!("<code>{part}</code>")),
        }
    }
    html
}

fn severity_class(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "fail",
        Severity::Warning => "warn",
        Severity::Notice => "none",
    }
}

fn verdict_class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Fail => "fail",
        Verdict::Warn => "warn",
        Verdict::Pass | Verdict::Explained | Verdict::Known => "pass",
        Verdict::NotApplicable | Verdict::ToBeDeclared | Verdict::NotShown => "none",
    }
}
