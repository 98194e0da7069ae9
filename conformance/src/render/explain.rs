//! What a rule demands, for people in a terminal.

use std::fmt::Write;

use anstyle::Style;
use serde::Serialize;

use super::{Language, pretty, words};
use crate::capture::Protocol;
use crate::catalogue::{self, Checkable, Entry};
use crate::rule::{Check, Example, Profile, Rule, Sample};
use crate::rules;

const BOLD: Style = Style::new().bold();
const FAINT: Style = Style::new().dimmed();

/// All there is to know about a rule of the catalogue; colours are ANSI escapes.
#[must_use]
pub fn explain(entry: &Entry, language: Language) -> String {
    let mut out = String::new();
    write(&mut out, entry, language).expect("a text takes all");
    out
}

fn write(out: &mut String, entry: &Entry, language: Language) -> std::fmt::Result {
    let rule = rules::rule(&entry.id);
    let title = rule.map(|rule| rule.title.told(language));
    let title = title.unwrap_or_else(|| words::title(entry, language));
    writeln!(out, "{BOLD}{}{BOLD:#} {title}", entry.id)?;
    let levels = Profile::ALL.into_iter().filter_map(|profile| {
        let level = entry.level(profile)?.keyword();
        Some(format!("{}: {level}", profile.name()))
    });
    let levels = levels.collect::<Vec<_>>().join(", ");
    writeln!(out, "{FAINT}{levels}{FAINT:#}")?;
    let status = words::status(&entry.status, language);
    writeln!(out, "{FAINT}{} ({status}){FAINT:#}", entry.clause)?;
    let Some(rule) = rule else {
        if let Some(texts) = catalogue::texts(&entry.id) {
            let texts = texts.told(language);
            writeln!(out, "\n{}", texts.explanation)?;
            if !texts.fix.is_empty() {
                writeln!(out, "\n{}: {}", words::FIX.told(language), texts.fix)?;
            }
        }
        return evidence(out, entry, language);
    };
    checked(out, rule, language)?;
    match entry.checkable {
        Checkable::Declared => evidence(out, entry, language),
        _ => Ok(()),
    }
}

/// The rules of a profile, one per line: name, level, how it is checked, title.
#[must_use]
pub fn rules(profile: Profile, language: Language) -> String {
    let line = |rule: Listed| {
        let (id, level, how, title) = (rule.id, rule.level, rule.how, rule.title);
        format!("{id:<16} {level:<10} {how:<9} {title}\n")
    };
    listed(profile, language).map(line).collect()
}

/// The same as JSON, with all that is said of each.
#[must_use]
pub fn rules_json(profile: Profile, language: Language) -> String {
    pretty(&listed(profile, language).collect::<Vec<_>>())
}

/// A rule of a profile.
#[derive(Serialize)]
struct Listed {
    id: &'static str,
    level: &'static str,
    how: &'static str,
    title: &'static str,
    explanation: &'static str,
    fix: &'static str,
    status: &'static str,
    clause: &'static str,
    address: String,
}

fn listed(profile: Profile, language: Language) -> impl Iterator<Item = Listed> {
    catalogue::entries().iter().filter_map(move |entry| {
        let rule = rules::rule(&entry.id);
        let how = match (entry.checkable, rule.map(|rule| rule.check)) {
            (Checkable::Declared, _) => "declared",
            (_, Some(Check::Acceptance)) => "accept",
            (_, Some(_)) => "checked",
            (_, None) => "live",
        };
        let texts = catalogue::texts(&entry.id).map(|texts| texts.told(language));
        let [title, explanation, fix] = match (rule, texts) {
            (Some(rule), _) if entry.checkable != Checkable::Declared => {
                [rule.title, rule.explanation, rule.fix].map(|text| text.told(language))
            }
            (_, Some(texts)) => [&*texts.title, &*texts.explanation, &*texts.fix],
            (_, None) => [&*entry.summary, "", ""],
        };
        Some(Listed {
            id: &entry.id,
            level: entry.level(profile)?.keyword(),
            how,
            title,
            explanation,
            fix,
            status: &entry.status,
            clause: &entry.clause,
            address: entry.address(),
        })
    })
}

fn checked(out: &mut String, rule: &Rule, language: Language) -> std::fmt::Result {
    writeln!(out, "\n{}\n", rule.explanation.told(language))?;
    let (why, told) = (words::WHY.told(language), rule.why.told(language));
    writeln!(out, "{why}: {told}\n")?;
    let (fix, told) = (words::FIX.told(language), rule.fix.told(language));
    writeln!(out, "{fix}: {told}")?;
    if rule.is_acceptance() {
        let state = words::STATE.told(language);
        writeln!(out, "\n{state}: {}", words::NOT_SHOWN.told(language))?;
        writeln!(out, "{}", words::NO_BREACH.told(language))?;
    }
    for (word, shown) in [(words::BAD, &rule.bad), (words::GOOD, &rule.good)] {
        if let Some(text) = example(shown) {
            writeln!(out, "\n{BOLD}{}{BOLD:#}", word.told(language))?;
            for line in text.lines() {
                writeln!(out, "    {line}")?;
            }
        }
    }
    if let Check::Umbrella(parts, _) = rule.check {
        let (by, parts) = (words::REPORTED_BY.told(language), parts.join(", "));
        writeln!(out, "\n{by}: {parts}")?;
    }
    Ok(())
}

/// What has to show that a rule is met, where no check does.
fn evidence(out: &mut String, entry: &Entry, language: Language) -> std::fmt::Result {
    if let Some(texts) = catalogue::texts(&entry.id) {
        let (heading, told) = (words::EVIDENCE.told(language), texts.told(language));
        writeln!(out, "\n{heading}: {}", told.evidence)?;
    }
    let state = match entry.checkable {
        Checkable::Declared => words::TO_BE_DECLARED,
        Checkable::Live => words::LIVE,
        Checkable::Static | Checkable::Stream => words::NO_CHECK,
    };
    let (word, state) = (words::STATE.told(language), state.told(language));
    writeln!(out, "\n{word}: {state}")
}

/// An example as it is written; one that is long says nothing.
fn example(example: &Example) -> Option<String> {
    let text = match example {
        Example::None | Example::Large(_) => return None,
        Example::Event("") => match example.sample()? {
            Sample::Message(usual) => String::from_utf8_lossy(usual.body()).into_owned(),
            _ => return None,
        },
        Example::Event(members) => format!("{{ …, {members} }}"),
        Example::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Example::Message(protocol, text) => {
            let protocol = match protocol {
                Protocol::File => "JSON",
                Protocol::Kafka => "Kafka",
                Protocol::Nats => "NATS",
                Protocol::Http => "HTTP",
            };
            format!("{protocol}\n{}", text.strip_prefix("=\n").unwrap_or(text))
        }
        Example::Batch(text) | Example::Validation(text) | Example::Delivery(text) => {
            (*text).to_owned()
        }
        Example::Stream(events) => {
            let events = events.iter().map(|members| format!("{{ …, {members} }}"));
            events.collect::<Vec<_>>().join("\n")
        }
    };
    Some(text)
}
