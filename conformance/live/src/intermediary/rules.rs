//! The rules that an intermediary is tried by: a table of them, and files that make a verdict of what went
//! in and what came out.

mod binary_as_text;
mod bytes_given_a_type;
mod classification;
mod content_type_not_written;
mod control_characters;
mod data_reference;
mod expiry_removed;
mod json_as_text;
mod key_as_attribute;
mod key_from_user;
mod key_mapper_by_default;
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

use cloudevents_nl_conformance::{Evidence, Live, Protocol, Shown, Why};

use super::story::{Pair, Sent, Story};

/// What makes a verdict of a run.
type Judge = fn(&Story) -> Shown;

/// All of them. A test holds them against the catalogue.
pub(crate) const RULES: &[(&str, Judge)] = &[
    // The same as JSON-DATA-12, since JSON is the format of events here.
    ("CE-DCT-2", content_type_not_written::judge),
    ("CE-TYPES-2", typed_values::judge),
    ("CE-TYPES-13", values_changed::judge),
    ("CE-EXT-5", metadata_as_attribute::judge),
    ("CE-INT-1", optional_attributes::judge),
    ("SIZE-1", large_events::judge),
    ("JSON-DATA-1", binary_as_text::judge),
    ("JSON-DATA-2", text_as_base64::judge),
    ("JSON-DATA-5", json_as_text::judge),
    ("JSON-DATA-7", text_read_as_json::judge),
    ("JSON-DATA-11", bytes_given_a_type::judge),
    ("JSON-DATA-12", content_type_not_written::judge),
    ("KAFKA-MODE-1", |story| {
        modes::judge(story, Protocol::Kafka, modes::BOTH)
    }),
    ("KAFKA-MODE-3", |story| {
        modes::judge(story, Protocol::Kafka, modes::JSON)
    }),
    ("KAFKA-MODE-4", |story| {
        modes::judge(story, Protocol::Kafka, modes::BOTH)
    }),
    ("KAFKA-DETECT-3", |story| {
        unknown_format::judge(story, Protocol::Kafka)
    }),
    ("KAFKA-KEY-1", key_mapper_by_default::judge),
    ("KAFKA-KEY-2", key_from_user::judge),
    // A setting, which no run shows.
    ("KAFKA-KEY-3", |_| {
        Shown::Nothing(why(
            "whether there is such a setting stands in its documentation",
            "of die instelling er is, staat in de documentatie",
        ))
    }),
    ("KAFKA-KEY-4", partition_key_dropped::judge),
    ("KAFKA-KEY-5", key_as_attribute::judge),
    ("NATS-FMT-1", |story| {
        modes::judge(story, Protocol::Nats, modes::JSON)
    }),
    ("NATS-MODE-1", |story| {
        modes::judge(story, Protocol::Nats, modes::BOTH)
    }),
    ("NATS-ENC-6", |story| {
        control_characters::judge(story, Protocol::Nats)
    }),
    ("HTTP-MODE-1", |story| {
        modes::judge(story, Protocol::Http, modes::BOTH)
    }),
    ("HTTP-MODE-2", |story| {
        modes::judge(story, Protocol::Http, modes::JSON)
    }),
    ("HTTP-MODE-3", |_| {
        Shown::Nothing(why(
            "events go in as requests with POST alone",
            "gebeurtenissen gaan alleen als POST-verzoek naar binnen",
        ))
    }),
    ("HTTP-DETECT-3", |story| {
        unknown_format::judge(story, Protocol::Http)
    }),
    ("HTTP-ENC-6", |story| {
        control_characters::judge(story, Protocol::Http)
    }),
    ("HTTP-BATCH-1", unasked_batches::judge),
    ("HTTP-BATCH-2", |_| {
        Shown::Nothing(why(
            "how large batches may be is a setting of the intermediary",
            "hoe groot batches mogen zijn is een instelling van de intermediair",
        ))
    }),
    ("EXT-DATAREF-4", data_reference::judge),
    ("EXT-TRACE-3", trace_overwritten::judge),
    ("EXT-EXPIRY-2", expiry_removed::judge),
    ("EXT-REC-2", record_time::judge),
    ("EXT-CLASS-2", classification::judge),
];

/// What every rule shows of a run.
pub(crate) fn judge(story: &Story) -> Vec<Live> {
    let lives = RULES
        .iter()
        .map(|(rule, judge)| Live::new(rule, judge(story)));
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
