//! The rules that an intermediary is tried by: one file each, which makes a verdict of what went in and
//! what came out.

mod binary_as_text;
mod bytes_given_a_type;
mod classification;
mod content_type_left_implied;
mod content_type_not_written;
mod control_characters;
mod data_reference;
mod expiry_removed;
mod json_as_text;
mod key_as_attribute;
mod key_from_user;
mod key_mapper_by_default;
mod key_mapper_offered;
mod large_events;
mod metadata_as_attribute;
mod modes;
mod optional_attributes;
mod partition_key_dropped;
mod record_time;
mod text_as_base64;
mod text_read_as_json;
mod trace_overwritten;
mod typed_values;
mod unasked_batches;
mod unknown_format;
mod values_changed;

use cloudevents_nl_conformance::{Evidence, Live, Shown, Why};

use super::story::{Pair, Sent, Story};

/// A rule, and what makes a verdict of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) judge: fn(&Story) -> Shown,
}

/// All of them. A test holds them against the catalogue.
pub(crate) const RULES: &[Rule] = &[
    content_type_left_implied::RULE,
    typed_values::RULE,
    values_changed::RULE,
    metadata_as_attribute::RULE,
    optional_attributes::RULE,
    large_events::RULE,
    binary_as_text::RULE,
    text_as_base64::RULE,
    json_as_text::RULE,
    text_read_as_json::RULE,
    bytes_given_a_type::RULE,
    content_type_not_written::RULE,
    modes::KAFKA_BOTH,
    modes::KAFKA_JSON,
    modes::KAFKA_SUPPORTS_BOTH,
    unknown_format::KAFKA,
    key_mapper_by_default::RULE,
    key_from_user::RULE,
    key_mapper_offered::RULE,
    partition_key_dropped::RULE,
    key_as_attribute::RULE,
    modes::NATS_JSON,
    modes::NATS_BOTH,
    control_characters::NATS,
    modes::HTTP_BOTH,
    modes::HTTP_JSON,
    modes::HTTP_METHODS,
    unknown_format::HTTP,
    control_characters::HTTP,
    unasked_batches::RULE,
    unasked_batches::SIZE,
    data_reference::RULE,
    trace_overwritten::RULE,
    expiry_removed::RULE,
    record_time::RULE,
    classification::RULE,
];

/// What every rule shows of a run.
pub(crate) fn judge(story: &Story) -> Vec<Live> {
    let lives = RULES
        .iter()
        .map(|rule| Live::new(rule.id, (rule.judge)(story)));
    lives.flatten().collect()
}

/// What was seen of one rule.
#[derive(Debug, Default)]
struct Verdict {
    is_tried: bool,
    broken: Vec<Evidence>,
}

impl Verdict {
    /// Takes what was seen of a pair: `None` is as it should be.
    fn of(&mut self, pair: Pair<'_>, seen: Option<String>) {
        self.is_tried = true;
        let evidence = |seen| Evidence {
            line: pair.came.line,
            in_response: false,
            seen: format!("{}: {seen}", pair.sent.name),
        };
        self.broken.extend(seen.map(evidence));
    }

    /// What went in shows it broken, as it should have come out.
    fn broken_by(&mut self, sent: &Sent, seen: &str) {
        self.is_tried = true;
        self.broken.push(Evidence {
            line: sent.line,
            in_response: sent.exchange.is_some(),
            seen: format!("{}: {seen}", sent.name),
        });
    }

    fn shown(self, why_not: Why) -> Shown {
        match (self.is_tried, self.broken) {
            (_, broken) if !broken.is_empty() => Shown::Broken(broken),
            (true, _) => Shown::Met,
            (false, _) => Shown::Nothing(why_not),
        }
    }
}

fn why(en: &str, nl: &str) -> Why {
    let (en, nl) = (en.to_owned(), nl.to_owned());
    Why { en, nl }
}

/// Nothing came out that would show it.
fn nothing_came() -> Why {
    why(
        "no event that would show it came out",
        "er kwam geen gebeurtenis uit waaraan het te zien is",
    )
}

/// It shows itself in the JSON format alone.
fn nothing_in_json() -> Why {
    why(
        "no event came out in the JSON format",
        "er kwam geen gebeurtenis uit in het JSON-formaat",
    )
}

#[cfg(test)]
mod tests;
