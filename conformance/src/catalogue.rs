//! The catalogue of rules, as data: `catalogue/rules.json`, with the Dutch and English texts of the
//! rules that no message can show, in `catalogue/texts.json`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::language::Language;
use crate::rule::{Level, Profile, Rule};

/// A rule as the catalogue has it.
#[derive(Clone, Debug, Deserialize)]
#[non_exhaustive]
pub struct Entry {
    /// Its name, which never changes.
    pub id: String,
    level: EntryLevel,
    /// The clause.
    #[serde(rename = "source")]
    pub clause: String,
    profiles: Vec<String>,
    /// What it is about: an event, a producer, a protocol.
    pub applies_to: String,
    /// How it can be checked.
    pub checkable: Checkable,
    /// What it demands, in English.
    pub summary: String,
    /// `released`, `draft`, `interpretation`, `guideline` or `primer`.
    pub status: String,
    /// What there is to know beside.
    #[serde(default)]
    pub note: String,
    /// The rule of an overlay, which the catalogue does not have.
    #[serde(skip)]
    pub(crate) of_overlay: Option<&'static Rule>,
}

/// How a rule can be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Checkable {
    /// By looking at one message, or one exchange.
    Static,
    /// By looking at several events in order.
    Stream,
    /// By what somebody declares, with a document to show for it.
    Declared,
    /// By trying it out.
    Live,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum EntryLevel {
    Everywhere(String),
    PerProfile(BTreeMap<String, String>),
}

/// The text of a rule that no message can show, in one language.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EntryText {
    /// What is demanded, in one line.
    pub title: String,
    /// What it means, in one to three sentences.
    pub explanation: String,
    /// What a document or a test has to show.
    pub evidence: String,
    /// What is wrong when it is broken, in one line; of rules that are tried out.
    #[serde(default)]
    pub fault: String,
    /// What to do about that.
    #[serde(default)]
    pub fix: String,
}

/// Such a text in the two languages of a report.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct EntryTexts {
    /// English.
    pub en: EntryText,
    /// Dutch.
    pub nl: EntryText,
}

impl EntryTexts {
    pub(crate) fn told(&self, language: Language) -> &EntryText {
        match language {
            Language::Dutch => &self.nl,
            Language::English => &self.en,
        }
    }
}

const CATALOGUE: &str = include_str!("../catalogue/rules.json");

static ENTRIES: LazyLock<Vec<Entry>> =
    LazyLock::new(|| serde_json::from_str(CATALOGUE).expect("a test reads it"));

static TEXTS: LazyLock<BTreeMap<String, EntryTexts>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../catalogue/texts.json")).expect("a test reads it")
});

/// All rules, in the order of the catalogue.
#[must_use]
pub fn entries() -> &'static [Entry] {
    &ENTRIES
}

/// The rule of a name.
#[must_use]
pub fn entry(id: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.id == id)
}

/// SHA-256 of the catalogue, in hexadecimal: which rules a report was made with.
#[must_use]
pub fn sha256() -> String {
    crate::hashed::sha256(CATALOGUE.as_bytes())
}

/// The texts of a declared or live rule.
#[must_use]
pub fn texts(id: &str) -> Option<&'static EntryTexts> {
    TEXTS.get(id)
}

/// The rules that have texts in `catalogue/texts.json`, by name.
pub fn with_texts() -> impl Iterator<Item = &'static str> {
    TEXTS.keys().map(String::as_str)
}

const SPEC: &str = "https://github.com/cloudevents/spec/blob";
const NL_GOV: &str = "https://gitdocumentatie.logius.nl/publicatie/notificatieservices";

/// Where the texts lie that clauses begin with; of CloudEvents, within the repository of a version.
const TEXT_OF: [(&str, &str); 9] = [
    ("HTTP binding", "bindings/http-protocol-binding.md"),
    ("Kafka binding", "bindings/kafka-protocol-binding.md"),
    ("NATS binding", "bindings/nats-protocol-binding.md"),
    ("JSON event format", "formats/json-format.md"),
    ("Web Hooks", "http-webhook.md"),
    ("CloudEvents primer", "primer.md"),
    ("CloudEvents core", "spec.md"),
    ("Extension", "documented-extensions.md"),
    ("Documented extensions", "documented-extensions.md"),
];

impl Entry {
    /// The entry that a rule of an overlay would have.
    pub(crate) fn of_overlay(rule: &'static Rule, profile: Profile) -> Self {
        let level = rule.level.of(profile).map_or("", Level::keyword);
        Self {
            id: rule.id.to_owned(),
            level: EntryLevel::Everywhere(level.to_owned()),
            clause: rule.clause.to_owned(),
            profiles: vec![profile.name().to_owned()],
            applies_to: String::new(),
            checkable: Checkable::Static,
            summary: rule.title.en.to_owned(),
            status: rule.status.word().to_owned(),
            note: String::new(),
            of_overlay: Some(rule),
        }
    }

    /// Where the text is published that its clause names.
    #[must_use]
    pub fn address(&self) -> String {
        let clause = &*self.clause;
        let mut texts = TEXT_OF.iter();
        let text = texts.find(|(begin, _)| clause.starts_with(begin));
        match text {
            // A draft has a page for each extension.
            Some(("Extension", _)) if self.status == "draft" => {
                format!("{SPEC}/main/cloudevents/extensions/README.md")
            }
            Some((_, path)) if self.status == "draft" => format!("{SPEC}/main/cloudevents/{path}"),
            Some((_, path)) => format!("{SPEC}/v1.0.2/cloudevents/{path}"),
            None if clause.starts_with("RFC 8259") => {
                "https://www.rfc-editor.org/rfc/rfc8259".to_owned()
            }
            None if clause.starts_with("Guidelines") => format!("{NL_GOV}/guidelines/"),
            None if clause.starts_with("NL GOV profile for CloudEvents 1.0,") => {
                format!("{NL_GOV}/cloudevents-nl/1.0/")
            }
            None => format!("{NL_GOV}/cloudevents-nl/1.1/"),
        }
    }

    /// How binding it is in a profile, `None` where the profile does not have it.
    #[must_use]
    pub fn level(&self, profile: Profile) -> Option<Level> {
        let name = profile.name();
        if !self.profiles.iter().any(|has| has == name) {
            return None;
        }
        let word = match &self.level {
            EntryLevel::Everywhere(word) => word,
            EntryLevel::PerProfile(words) => words.get(name)?,
        };
        use Level::{May, Must, MustNot, Should, ShouldNot};
        let all = [Must, MustNot, Should, ShouldNot, May];
        all.into_iter().find(|level| level.keyword() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_a_level_in_each_of_its_profiles() {
        for entry in entries() {
            let levels = Profile::ALL.into_iter().filter_map(|it| entry.level(it));
            assert_eq!(levels.count(), entry.profiles.len(), "{}", entry.id);
            assert!(!entry.profiles.is_empty(), "{}", entry.id);
        }
    }
}
