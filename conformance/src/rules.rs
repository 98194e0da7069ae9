//! The registry of rules, and how to write one.
//!
//! A rule is one file with `pub(crate) const RULE: Rule`, and one entry in the file of its family: the
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
//! `stray_percent.rs`. Id, level, status and clause are those of `catalogue/rules.json`, to the letter;
//! a test holds them against each other both ways.
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
//!   rules are `found.all(event.failing(NAME, predicate))`.
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

mod core;
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

use crate::catalogue::{self, Checkable, Entry};
use crate::report::Part;
use crate::rule::{Applies, Check, Decode, Example, Levels, Profile, Rule, Status, Text};

const FAMILIES: [&[Rule]; 9] = [
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

/// Every rule with a check, in the order of the catalogue.
pub static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let mut rules: Vec<_> = FAMILIES.iter().copied().flatten().collect();
    rules.sort_by_key(|rule| order(rule.id));
    rules
});

/// The rule of a name.
#[must_use]
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().copied().find(|rule| rule.id == id)
}

/// The rules that only trying out shows, with the texts of the catalogue.
pub(crate) static LIVE: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let entries = catalogue::entries().iter();
    let live =
        entries.filter(|entry| entry.checkable == Checkable::Live && rule(&entry.id).is_none());
    live.filter_map(tried_out).collect()
});

/// Rules of which a message shows a part, and trying out the rest.
const SHOWN_IN_PART: &[&str] = &["CE-TIME-1", "HTTP-DEC-5", "KAFKA-BIN-1", "HOOK-AUTH-1"];

/// The rule of a name that trying out shows something of: one that no message shows at all or in part, or
/// that no message can break.
pub(crate) fn live(id: &str) -> Option<&'static Rule> {
    let checked = RULES.iter().copied();
    let is_tried = |rule: &&Rule| {
        rule.is_acceptance()
            || SHOWN_IN_PART.contains(&rule.id)
            || catalogue::entry(rule.id).is_some_and(|entry| entry.checkable == Checkable::Live)
    };
    let mut all = checked.filter(is_tried).chain(LIVE.iter());
    all.find(|rule| rule.id == id)
}

fn tried_out(entry: &'static Entry) -> Option<Rule> {
    use Status::{Draft, Guideline, Interpretation, Primer, Released};
    let texts = catalogue::texts(&entry.id)?;
    let statuses = [Released, Draft, Interpretation, Guideline, Primer];
    let mut statuses = statuses.into_iter();
    let text = |of: fn(&'static catalogue::EntryText) -> &'static str| Text {
        en: of(&texts.en),
        nl: of(&texts.nl),
    };
    Some(Rule {
        id: &entry.id,
        level: Levels::each(Profile::ALL.map(|profile| entry.level(profile))),
        status: statuses.find(|status| status.word() == entry.status)?,
        clause: &entry.clause,
        title: text(|text| &text.fault),
        explanation: text(|text| &text.explanation),
        why: text(|text| &text.evidence),
        fix: text(|text| &text.fix),
        good: Example::None,
        bad: Example::None,
        decode: Decode::Accept,
        applies: Applies::Behaviour,
        check: Check::Live,
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
