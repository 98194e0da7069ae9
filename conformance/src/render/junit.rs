//! JUnit XML: one suite per run, one case per rule, named after what is required, so that the name is as
//! true of a case that passes.
//!
//! A rule that is broken at or above the threshold is a failure; what lies below it, and what is
//! explained, is told in the output of the suite; rules that are about other messages, or that no
//! message can break, are skipped with the reason. An input that could not be read is an error of its
//! own case. The date is 1970-01-01 unless one is given.

use super::{Language, VERSION, escape, words};
use crate::report::{FailOn, Report, Reported, Row, Severity, Verdict};

/// The cases, as XML, and how many there are of each kind.
#[derive(Default)]
struct Cases {
    xml: String,
    tests: u32,
    failures: u32,
    skipped: u32,
}

impl Cases {
    /// Adds a case, whose class and name are escaped; what is in it is empty where it passes.
    fn add(&mut self, class: &str, name: &str, content: &str) {
        self.tests += 1;
        let open = format!("    <testcase classname=\"{class}\" name=\"{name}\" time=\"0\"");
        self.xml.push_str(&match content {
            "" => format!("{open}/>\n"),
            content => format!("{open}>\n{content}    </testcase>\n"),
        });
    }

    /// Adds one of which nothing is said, and why.
    fn skip(&mut self, class: &str, name: &str, why: &str) {
        self.skipped += 1;
        let skipped = format!("      <skipped message=\"{}\"/>\n", escape(why));
        self.add(class, name, &skipped);
    }

    fn fail(&mut self, class: &str, name: &str, failure: &str) {
        self.failures += 1;
        self.add(class, name, failure);
    }
}

/// JUnit XML: a test case per rule.
#[must_use]
pub fn junit(report: &Report, language: Language) -> String {
    let mut cases = Cases::default();
    for (row, verdict) in report.rows() {
        let class = class(report, row.rule.id);
        let name = format!("{} {}", row.rule.id, row.rule.requirement(language).0);
        let name = escape(&name);
        match verdict {
            Verdict::NotApplicable | Verdict::NotShown => {
                let why = match (report.why_not_tried(row.rule.id), verdict) {
                    (Some(why), _) => why.told(language),
                    (None, Verdict::NotShown) => words::NO_BREACH.told(language),
                    (None, verdict) => words::verdict(verdict).told(language),
                };
                cases.skip(&class, &name, why);
            }
            _ if fails(report, row) => cases.fail(&class, &name, &failure(report, row, language)),
            _ => cases.add(&class, &name, ""),
        }
    }
    // Rules that somebody set out to try; the others that only trying shows are no cases.
    let not_tested = report.not_tested();
    for entry in not_tested.filter(|entry| report.why_not_tried(&entry.id).is_some()) {
        let name = format!("{} {}", entry.id, words::title(entry, language));
        let why = words::why_not_tested(report, entry, language);
        cases.skip(&class(report, &entry.id), &escape(&name), why);
    }
    for waived in report.waivers.iter().filter(|waived| waived.is_expired) {
        let waiver = &waived.waiver;
        let name = format!("{} {}", escape(&waiver.rule.id), waiver.until);
        let (expired, owner) = (words::EXPIRED.told(language), escape(&waiver.owner));
        let message = format!("{expired} {}", waiver.until);
        let told = format!("{owner}: {}", escape(&waiver.reason));
        let failure = element("failure", &message, "waiver", &told);
        match report.fail_on {
            FailOn::None => cases.add("waivers", &name, ""),
            _ => cases.fail("waivers", &name, &failure),
        }
    }
    if report.trial_failed {
        let told = words::FAILS_BY_TRIAL.told(language);
        cases.fail("trial", told, &element("failure", told, "trial", told));
    }
    for problem in &report.problems {
        let told = escape(&words::problem(problem, language));
        let error = element("error", &told, "input", &told);
        cases.add("inputs", &token(&problem.input), &error);
    }
    let (errors, profile) = (report.problems.len(), report.profile.name());
    let date = report.date.map(|date| date.to_string());
    let date = date.as_deref().unwrap_or("1970-01-01");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites>\n  \
         <testsuite package=\"cenl-conformance\" id=\"0\" name=\"{profile}\" timestamp=\"{date}T00:00:00\" \
         hostname=\"localhost\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" \
         skipped=\"{skipped}\" time=\"0\">\n    \
         <properties>\n{}    </properties>\n\
         {xml}    \
         <system-out>{}</system-out>\n    \
         <system-err></system-err>\n  \
         </testsuite>\n\
         </testsuites>\n",
        properties(report, language),
        escape(&below(report, language)),
        xml = cases.xml,
        tests = cases.tests,
        failures = cases.failures,
        skipped = cases.skipped,
    )
}

/// What is wrong with a case; the texts are escaped.
fn element(name: &str, message: &str, kind: &str, told: &str) -> String {
    format!("      <{name} message=\"{message}\" type=\"{kind}\">{told}</{name}>\n")
}

/// A name without white space that is not single spaces, which the type of names demands.
fn token(text: &str) -> String {
    escape(&text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Profile and family: `nl-gov-1.1.KAFKA`.
fn class(report: &Report, id: &str) -> String {
    let family = id.split('-').next().unwrap_or_default();
    format!("{}.{family}", report.profile.name())
}

fn fails(report: &Report, row: &Row) -> bool {
    match report.fail_on {
        FailOn::None => false,
        FailOn::Warn => row.worst >= Some(Severity::Warning),
        FailOn::Error => row.worst == Some(Severity::Error),
    }
}

fn failure(report: &Report, row: &Row, language: Language) -> String {
    let rule = row.rule;
    let severity = row.worst.map_or("", |worst| words::severity(worst).en);
    let open = report.findings_of(rule.id);
    let open = open.filter(|reported| reported.is_open());
    let found = open.map(|reported| finding(report, reported, language));
    let found = found.collect::<String>();
    let (fix, clause) = (words::FIX.told(language), words::CLAUSE.told(language));
    let (told, title) = (rule.fix.told(language), rule.title.told(language));
    let told = format!("{found}{fix}: {told}\n{clause}: {}", rule.clause);
    let message = format!("{} ({})", escape(title), row.broken);
    element("failure", &message, severity, &escape(&told))
}

fn finding(report: &Report, reported: &Reported, language: Language) -> String {
    let finding = &reported.finding;
    let spot = words::spot(report, reported);
    let place = words::place(finding, language);
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
        let (word, title) = (word.told(language), rule.title.told(language));
        let found = finding(report, reported, language);
        told.push_str(&format!("{word} {} {title}: {found}", rule.id));
    }
    told
}

fn properties(report: &Report, language: Language) -> String {
    let property = |name: &str, value: &str| {
        let (name, value) = (token(name), escape(value));
        format!("      <property name=\"{name}\" value=\"{value}\"/>\n")
    };
    let properties = [
        property("profile", report.profile.name()),
        property("version", VERSION),
        property("catalogue-sha256", &crate::catalogue::sha256()),
        property("conclusion", words::conclusion(report).told(language)),
        property("not-judged", &report.counts.not_events.to_string()),
        property("exit-code", &report.outcome().exit_code().to_string()),
    ];
    let inputs = report.inputs.iter();
    let inputs = inputs.map(|input| property(&format!("sha256 {}", input.name), &input.sha256));
    properties.into_iter().chain(inputs).collect()
}
