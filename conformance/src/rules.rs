//! The registry of rules, and how to write one.
//!
//! A rule is one file with `pub(crate) const RULE: Definition`, and one entry in the file of its family: the
//! `mod` line and the name in the list. `prelude` has the names that it is written with. Families
//! follow the beginning of the id:
//!
//! | id | family | id | family |
//! | --- | --- | --- | --- |
//! | `CE-…` | `core/` | `HOOK-…` | `webhook/` |
//! | `JSON-…` | `json/` | `EXT-…` | `extension/` |
//! | `HTTP-…` | `http/` | `SIZE-…` | `size/` |
//! | `KAFKA-…` | `kafka/` | `NL-…` | `profile/` |
//! | `NATS-…` | `nats/` | | |
//!
//! The file is named after the fault, so that it reads well after "allow": `id_empty.rs`,
//! `stray_percent.rs`. Its level, its status and its clause are those that `catalogue/rules.json` has under
//! its id.
//!
//! # Which kind of check
//!
//! | the rule is about | [`Check`] | the function gets |
//! | --- | --- | --- |
//! | attributes and data, in any mode | `Event` | an [`Event`](crate::Event), once per event of a batch |
//! | headers, content type, body as such | `Message` | a [`Reading`](crate::Reading) |
//! | a webhook request and its answer | `Exchange` | an [`Exchange`](crate::Exchange) |
//! | several events in order | `Stream` | events one by one, in a [`Watch`](crate::Watch) |
//! | what an overlay says, in a file | `Data` | nothing: it is a [`Demand`](crate::Demand) |
//! | behaviour, tried out | `Live` | nothing: its texts are those of `catalogue/texts.json` |
//! | nothing a message could break | `Acceptance`, by `..ACCEPTANCE` | nothing: the good example must pass, and the codec must read it |
//! | the sum of other rules | `Umbrella` | nothing: the named rules report it, and whatever breaks one of them breaks it, as far as its `Scope` reaches |
//!
//! [`Applies`] says which messages the rule is about, and the check sees no others, so
//! it never asks for the protocol itself. Two protocols with the same text share one check:
//! `check: http::stray_percent::RULE.check`.
//!
//! # What a check has at hand
//!
//! - `event.named("time")`: attributes of that name that are set, whatever the mode;
//!   `event.text("type")`: the text of the first; `event.set()`, `event.extensions()`: all of them.
//! - `event.failing("time", is_timestamp)`: those that are not text of which the predicate is true. Most
//!   rules are `found.all(event.failing(NAME, predicate))`. `event.matching("type", has_bare)`: those that
//!   are text of which the predicate is true.
//! - `attribute.value`: [`Value`](crate::Value) tells text from number, boolean, object and broken
//!   text; `attribute.header()` is the header that carries it.
//! - `event.members`, `event.data`, `event.data_base64`, `event.body`: the data as it was sent.
//! - `reading.coded_headers()`: header values that are percent-coded, raw;
//!   `reading.attribute_headers()`: all headers with the prefix; `reading.unreadable`: why a body
//!   is no event; `reading.capture`: everything as it was.
//! - `capture.header(name)`, `capture.has(name)`, `capture.list(name)`: the text of a header, whether it
//!   is there, its members where it is a list.
//! - `event.shape()`: the members of JSON data, and what kind of value each holds.
//! - `crate::grammar`: the grammars, each once. A new one is a new file there, with its tests.
//! - `crate::memory`: what a stream rule remembers, and no more than that; `sequence` (beside the
//!   families) tells what came before an event in its source.
//!
//! A check reports with [`Found`](crate::Found) and names only the place: `found.at(attribute)`,
//! `found.name_of(attribute)`, `found.missing(event, "id")`, `found.header(header)`,
//! `found.member(member)`, `found.body(offset)`, `found.message(seen)`. What stood there, line and
//! column follow from it. `found.in_response()` is for the answer of an exchange,
//! `found.tolerated()` for a breach of a refusing rule that the codec reads over, and
//! `found.noticed()` for one that only a draft, or one reading of several, makes a breach. A stream
//! rule says in `Watch::end` what only the end of the stream can show.
//!
//! # What each field is for
//!
//! - `en`, `nl`: what is said of it in each language.
//! - `title`: the fault in one line, no full stop, at most 90 characters.
//! - `explanation`: what is demanded; its first sentence names the rule in reports. `why`: what goes wrong in practice. `fix`: what a sender does
//!   about it. Sentences, at most 400 characters each, no markup but backquotes. The Dutch text is
//!   what a Dutch official would write, not a translation word by word; names of attributes and
//!   headers stay as they are, and there is one word for one thing (gebeurtenis, attribuut, afzender,
//!   ontvanger, afnemer, intermediair, bron, abonnement, software, JSON-string, mediatype).
//! - `good`, `bad`: an [`Example`]. The good one breaks no MUST rule of any profile;
//!   the bad one breaks this rule in every profile that has it.
//! - `decode`: what the codec does with `bad`: `tests/rules.rs` asks it.
//!
//! An id never changes its meaning and never goes away: `tests/snapshots` freezes them.
//!
//! [`Check`]: crate::Check
//! [`Example`]: crate::Example

mod core;
mod definition;
mod extension;
mod http;
mod json;
mod kafka;
mod nats;
mod prelude;
mod profile;
mod sequence;
mod size;
mod webhook;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::catalogue::{self, Checkable, Entry, EntryText};
use crate::report::Part;
use crate::rule::{Applies, Check, Rule};
use definition::{Definition, Texts};

const FAMILIES: [&[Definition]; 9] = [
    core::RULES,
    json::RULES,
    kafka::RULES,
    nats::RULES,
    http::RULES,
    webhook::RULES,
    size::RULES,
    extension::RULES,
    profile::RULES,
];

static ORDER: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
    let ids = catalogue::entries().iter().enumerate();
    ids.map(|(order, entry)| (&*entry.id, order)).collect()
});

/// Every rule that messages or trying out show, in the order of the catalogue.
pub(crate) static ALL: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let defined = FAMILIES.into_iter().flatten();
    let defined: HashMap<_, _> = defined.map(|rule| (rule.id, *rule)).collect();
    let rules = catalogue::entries().iter().filter_map(|entry| {
        let defined = defined.get(&*entry.id).copied();
        defined.or_else(|| tried_out(entry))?.rule(entry)
    });
    rules.collect()
});

/// Every rule with a check, in the order of the catalogue.
pub static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let checked = ALL.iter();
    let checked = checked.filter(|rule| !matches!(rule.check, Check::Live));
    checked.collect()
});

/// The rule of a name.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// Rules of which a message shows a part, and trying out the rest.
const SHOWN_IN_PART: &[&str] = &["CE-TIME-1", "HTTP-DEC-5", "KAFKA-BIN-1", "HOOK-AUTH-1"];

/// The rule of a name that trying out shows something of: one that no message shows at all or in part, or
/// that no message can break.
pub(crate) fn live(id: &str) -> Option<&'static Rule> {
    let is_tried = |rule: &&Rule| {
        rule.is_acceptance()
            || SHOWN_IN_PART.contains(&rule.id)
            || catalogue::entry(rule.id).is_some_and(|entry| entry.checkable == Checkable::Live)
    };
    ALL.iter().find(|rule| rule.id == id).filter(is_tried)
}

/// A rule that only trying out shows, with the texts of the catalogue.
fn tried_out(entry: &'static Entry) -> Option<Definition> {
    let texts = catalogue::texts(&entry.id).filter(|_| entry.checkable == Checkable::Live)?;
    let told = |texts: &'static EntryText| Texts {
        title: &texts.fault,
        explanation: &texts.explanation,
        why: &texts.evidence,
        fix: &texts.fix,
    };
    Some(Definition {
        id: &entry.id,
        en: told(&texts.en),
        nl: told(&texts.nl),
        applies: Applies::Behaviour,
        check: Check::Live,
        ..prelude::ACCEPTANCE
    })
}

/// Which side of an exchange a rule binds.
pub(crate) fn side(id: &str) -> Part {
    match catalogue::entry(id) {
        Some(entry) if entry.applies_to == "webhook-receiver" => Part::Response,
        _ => Part::Message,
    }
}

/// The place of a rule in the catalogue.
pub(crate) fn order(id: &str) -> usize {
    ORDER.get(id).copied().unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_definition_is_a_rule_of_the_catalogue() {
        assert_eq!(RULES.len(), FAMILIES.into_iter().flatten().count());
    }
}
