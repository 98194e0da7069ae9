//! The rules that an intermediary is tried by: a table of them, and files that make a verdict of what went
//! in and what came out.

mod attributes;
mod data;
mod key;
mod large_events;
mod modes;
mod odd;
mod unasked_batches;

use cloudevents_nl_conformance::{Evidence, Live, Protocol, Shown, Why};

use super::story::{Pair, Sent, Story};
use crate::shown::{by, evidence, nothing, why};

/// What makes a verdict of a run.
type Judge = fn(&Story) -> Shown;

/// All of them. A test holds them against the catalogue.
pub(crate) const RULES: &[(&str, Judge)] = &[
    // The same as JSON-DATA-12, since JSON is the format of events here.
    ("CE-DCT-2", data::json_without_a_type),
    ("CE-TYPES-2", attributes::typed),
    ("CE-TYPES-13", attributes::changed),
    ("CE-EXT-5", attributes::from_metadata),
    ("CE-INT-1", attributes::dropped),
    ("SIZE-1", large_events::judge),
    ("JSON-TYPE-4", attributes::guessed),
    ("JSON-DATA-1", data::bytes_as_text),
    ("JSON-DATA-2", data::text_as_bytes),
    ("JSON-DATA-5", data::json_as_text),
    ("JSON-DATA-7", data::text_as_json),
    ("JSON-DATA-9", data::null_dropped),
    ("JSON-DATA-11", data::bytes_with_a_type),
    ("JSON-DATA-12", data::json_without_a_type),
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
        odd::unknown_format(story, Protocol::Kafka)
    }),
    ("KAFKA-KEY-1", key::mapped_by_default),
    ("KAFKA-KEY-2", key::changed),
    // A setting, which no run shows.
    ("KAFKA-KEY-3", |_| {
        nothing(
            "whether there is such a setting stands in its documentation",
            "of die instelling er is, staat in de documentatie",
        )
    }),
    ("KAFKA-KEY-4", key::attribute_dropped),
    ("KAFKA-KEY-5", key::as_attribute),
    ("KAFKA-BIN-1", |story| {
        data::body_changed(story, Protocol::Kafka)
    }),
    ("NATS-FMT-1", |story| {
        modes::judge(story, Protocol::Nats, modes::JSON)
    }),
    ("NATS-MODE-1", |story| {
        modes::judge(story, Protocol::Nats, modes::BOTH)
    }),
    ("NATS-BIN-5", |story| {
        data::body_changed(story, Protocol::Nats)
    }),
    ("NATS-ENC-6", |story| {
        odd::control_character(story, Protocol::Nats)
    }),
    ("HTTP-MODE-1", |story| {
        modes::judge(story, Protocol::Http, modes::BOTH)
    }),
    ("HTTP-MODE-2", |story| {
        modes::judge(story, Protocol::Http, modes::JSON)
    }),
    ("HTTP-MODE-3", |_| {
        nothing(
            "events go in as requests with POST alone",
            "gebeurtenissen gaan alleen als POST-verzoek naar binnen",
        )
    }),
    ("HTTP-DETECT-3", |story| {
        odd::unknown_format(story, Protocol::Http)
    }),
    ("HTTP-BIN-7", |story| {
        data::body_changed(story, Protocol::Http)
    }),
    ("HTTP-ENC-6", |story| {
        odd::control_character(story, Protocol::Http)
    }),
    ("HTTP-BATCH-1", unasked_batches::judge),
    ("HTTP-BATCH-2", |_| {
        nothing(
            "how large batches may be is a setting of the intermediary",
            "hoe groot batches mogen zijn is een instelling van de intermediair",
        )
    }),
    ("EXT-DATAREF-4", attributes::data_reference),
    ("EXT-TRACE-3", attributes::trace),
    ("EXT-EXPIRY-2", attributes::expiry),
    ("EXT-REC-2", attributes::recorded),
    ("EXT-CLASS-2", attributes::classification),
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
        let seen = seen.map(|seen| format!("{}: {seen}", pair.sent.name));
        self.broken
            .extend(seen.map(|seen| evidence(pair.came.line, seen)));
    }

    /// What went in shows it broken, as it should have come out.
    fn broken_by(&mut self, sent: &Sent, seen: &str) {
        self.is_tried = true;
        self.broken.push(Evidence {
            in_response: sent.exchange.is_some(),
            ..evidence(sent.line, format!("{}: {seen}", sent.name))
        });
    }

    fn shown(self, why_not: Why) -> Shown {
        match self.is_tried {
            true => by(self.broken),
            false => Shown::Nothing(why_not),
        }
    }
}

/// What is seen of a pair: nothing of the rule, or that it is as it should be, or what is wrong.
type Seen = Option<Result<(), String>>;

/// That it is as it should be, but for what is wrong, if anything is.
fn found(wrong: Option<String>) -> Seen {
    Some(wrong.map_or(Ok(()), Err))
}

/// What pairs show of a rule, looked at one by one.
fn over<'s>(
    pairs: impl IntoIterator<Item = Pair<'s>>,
    why_not: Why,
    look: impl Fn(&Pair<'s>) -> Seen,
) -> Shown {
    let mut verdict = Verdict::default();
    for pair in pairs {
        if let Some(seen) = look(&pair) {
            verdict.of(pair, seen.err());
        }
    }
    verdict.shown(why_not)
}

/// Nothing came out that would show it.
fn nothing_came() -> Why {
    why(
        "no event that would show it came out",
        "er kwam geen gebeurtenis uit waaraan het te zien is",
    )
}

#[cfg(test)]
mod tests;
