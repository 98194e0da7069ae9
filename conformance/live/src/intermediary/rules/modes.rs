//! The modes of each binding: what went in by one of them comes out, in whatever mode.

use std::collections::HashSet;

use cloudevents_nl_conformance::{Mode, Protocol, Shown, Why};

use super::{Rule, Verdict, why};
use crate::intermediary::story::{Outcome, Story};

const BOTH: &[Mode] = &[Mode::Structured, Mode::Binary];
const JSON: &[Mode] = &[Mode::Structured];

pub(super) const KAFKA_BOTH: Rule = Rule {
    id: "KAFKA-MODE-1",
    judge: |story| judge(story, Protocol::Kafka, BOTH),
};
pub(super) const KAFKA_JSON: Rule = Rule {
    id: "KAFKA-MODE-3",
    judge: |story| judge(story, Protocol::Kafka, JSON),
};
pub(super) const KAFKA_SUPPORTS_BOTH: Rule = Rule {
    id: "KAFKA-MODE-4",
    judge: |story| judge(story, Protocol::Kafka, BOTH),
};
pub(super) const NATS_JSON: Rule = Rule {
    id: "NATS-FMT-1",
    judge: |story| judge(story, Protocol::Nats, JSON),
};
pub(super) const NATS_BOTH: Rule = Rule {
    id: "NATS-MODE-1",
    judge: |story| judge(story, Protocol::Nats, BOTH),
};
pub(super) const HTTP_BOTH: Rule = Rule {
    id: "HTTP-MODE-1",
    judge: |story| judge(story, Protocol::Http, BOTH),
};
pub(super) const HTTP_JSON: Rule = Rule {
    id: "HTTP-MODE-2",
    judge: |story| judge(story, Protocol::Http, JSON),
};
pub(super) const HTTP_METHODS: Rule = Rule {
    id: "HTTP-MODE-3",
    judge: |_| {
        Shown::Nothing(why(
            "events go in as requests with POST alone",
            "gebeurtenissen gaan alleen als POST-verzoek naar binnen",
        ))
    },
};

/// A mode by which nothing comes out is not supported.
fn judge(story: &Story, protocol: Protocol, modes: &[Mode]) -> Shown {
    let came: HashSet<_> = story.usual().iter().map(|pair| pair.event.id()).collect();
    let mut verdict = Verdict::default();
    for mode in modes {
        let sent = story.sent.iter().filter(|sent| !sent.is_odd);
        let own = sent.filter(|sent| (sent.event.protocol, sent.event.mode) == (protocol, *mode));
        let own: Vec<_> = own.collect();
        let Some(first) = own.first() else {
            return Shown::Nothing(not_sent(protocol));
        };
        verdict.is_tried = true;
        if !own.iter().any(|sent| came.contains(sent.event.id())) {
            let said = match &first.outcome {
                Outcome::Refused(said) | Outcome::Unknown(said) => said,
                Outcome::Taken => "∅",
            };
            verdict.broken_by(first, &format!("{mode:?} → {said}"));
        }
    }
    verdict.shown(not_sent(protocol))
}

fn not_sent(protocol: Protocol) -> Why {
    let name = protocol.name();
    why(
        &format!("events did not go in over {name} in the modes that the rule is about"),
        &format!("er gingen over {name} geen gebeurtenissen naar binnen in de modi van de regel"),
    )
}
