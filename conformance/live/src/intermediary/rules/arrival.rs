//! What comes out at all: of each size, by each mode, alone or in batches, and where it may be refused.

use std::collections::HashSet;

use cloudevents_nl_codec::STRUCTURED_JSON;
use cloudevents_nl_conformance::Protocol::{self, Http, Kafka, Nats};
use cloudevents_nl_conformance::{Mode, Shown, Why};

use super::{Judge, broken, broken_by, found, nothing_came, over};
use crate::intermediary::compare::Kind;
use crate::intermediary::specimens::{CONTROL_CHARACTER, LARGE, SPELLED, TEXT, UNKNOWN_FORMAT};
use crate::intermediary::story::{Outcome, Pair, Sent, Story};
use crate::shown::{by, evidence, nothing, why};

pub(super) const RULES: &[(&str, Judge)] = &[
    ("SIZE-1", forwarded),
    ("KAFKA-MODE-1", |story| by_modes(story, Kafka, BOTH)),
    ("KAFKA-MODE-3", |story| by_modes(story, Kafka, JSON)),
    ("KAFKA-MODE-4", |story| by_modes(story, Kafka, BOTH)),
    ("NATS-FMT-1", |story| by_modes(story, Nats, JSON)),
    ("NATS-MODE-1", |story| by_modes(story, Nats, BOTH)),
    ("HTTP-MODE-1", |story| by_modes(story, Http, BOTH)),
    ("HTTP-MODE-2", |story| by_modes(story, Http, JSON)),
    ("HTTP-MODE-3", |_| {
        nothing(
            "events go in as requests with POST alone",
            "gebeurtenissen gaan alleen als POST-verzoek naar binnen",
        )
    }),
    ("HTTP-DETECT-2", capitals),
    ("KAFKA-DETECT-3", |story| unknown_format(story, Kafka)),
    ("HTTP-DETECT-3", |story| unknown_format(story, Http)),
    ("NATS-ENC-6", |story| control_character(story, Nats)),
    ("HTTP-ENC-6", |story| control_character(story, Http)),
    // Batches that nobody asked for.
    ("HTTP-BATCH-1", |story| {
        if story.to != Http || story.came.is_empty() {
            return nothing("nothing came over HTTP", "er kwam niets over HTTP");
        }
        let unasked = story.came.iter().filter(|came| {
            let mut events = came.events.iter();
            !story.has_asked_for_batches && events.any(|event| event.mode == Mode::Batched)
        });
        by(unasked.map(|came| {
            let seen = format!("{} × application/cloudevents-batch+json", came.events.len());
            evidence(came.line, seen)
        }))
    }),
    ("HTTP-BATCH-2", |_| {
        nothing(
            "how large batches may be is a setting of the intermediary",
            "hoe groot batches mogen zijn is een instelling van de intermediair",
        )
    }),
];

const BOTH: &[Mode] = &[Mode::Structured, Mode::Binary];
const JSON: &[Mode] = &[Mode::Structured];

/// An event of 64 KiB or less, as it is sent, does not come out, or not all of the largest.
fn forwarded(story: &Story) -> Shown {
    let came: Vec<_> = story.usual().collect();
    let due = || {
        let sent = story.sent.iter().filter(|sent| !sent.is_odd());
        sent.filter(|sent| !is_announced(sent, SPELLED))
    };
    // Who refuses everything may have been asked at a wrong address.
    if came.is_empty() && !due().any(|sent| sent.is_due()) {
        return Shown::Nothing(nothing_came());
    }
    let taken = came.iter().filter(|pair| pair.came.is_taken);
    let arrived: HashSet<_> = taken.map(|pair| pair.sent.event.identity()).collect();
    let large: Vec<_> = story.of_specimen(LARGE).collect();
    let changed = large.iter().filter_map(|pair| {
        let changed = pair.difference(|it| it.kind == Kind::Data);
        broken(*pair, changed.filter(|_| is_of_size(story, pair)))
    });
    let mut wrong: Vec<_> = changed.collect();
    for sent in due().filter(|sent| !arrived.contains(&sent.event.identity())) {
        let seen = match sent.outcome {
            _ if story.came_unread(sent) => continue,
            Outcome::Taken => "→ ∅",
            // It may have been away for a while, but not for the largest alone.
            Outcome::Unknown(_) if sent.name != LARGE => continue,
            Outcome::Unknown(_) | Outcome::Refused(_) => sent.said(),
        };
        wrong.push(broken_by(sent, seen));
    }
    match wrong.is_empty() && large.is_empty() {
        true => Shown::Nothing(nothing_came()),
        false => by(wrong),
    }
}

/// Whether other data is a matter of its size: there is less of it, or a small text came out as it was.
fn is_of_size(story: &Story, large: &Pair<'_>) -> bool {
    let [was, is] = [&large.sent.event, large.event].map(|event| {
        let data = event.data.as_ref();
        data.map_or(0, |data| data.bytes.len())
    });
    let small = story.of_specimen(TEXT);
    let mut small = small.filter(|small| small.sent.event.mode == large.sent.event.mode);
    is < was || small.any(|small| small.difference(|it| it.kind == Kind::Data).is_none())
}

/// A mode by which nothing comes out, in whatever mode, is not supported.
fn by_modes(story: &Story, protocol: Protocol, modes: &[Mode]) -> Shown {
    let came = story.usual().map(|pair| pair.sent.event.id());
    let came: HashSet<_> = came.collect();
    // Who takes nothing at all may have been asked at a wrong address.
    if came.is_empty() {
        return Shown::Nothing(nothing_came());
    }
    let mut wrong = Vec::new();
    for mode in modes {
        let sent = story.sent.iter().filter(|sent| !sent.is_odd());
        let own = sent.filter(|sent| (sent.event.protocol, sent.event.mode) == (protocol, *mode));
        let own: Vec<_> = own.collect();
        let Some(first) = own.first() else {
            return Shown::Nothing(not_sent(protocol));
        };
        let has_come = |sent: &&Sent| came.contains(sent.event.id()) || story.came_unread(sent);
        if !own.iter().any(has_come) {
            let seen = format!("{mode:?} → {}", first.said());
            wrong.push(broken_by(first, &seen));
        }
    }
    by(wrong)
}

/// A media type with capitals is not known, where the usual one is.
fn capitals(story: &Story) -> Shown {
    let came: Vec<_> = story.usual().collect();
    let has_come = |ty| came.iter().any(|pair| is_announced(pair.sent, ty));
    let mut sent = story.sent.iter();
    let sent = sent.find(|sent| is_announced(sent, SPELLED));
    let Some(sent) = sent.filter(|_| has_come(STRUCTURED_JSON)) else {
        return Shown::Nothing(nothing_came());
    };
    match sent.outcome {
        _ if has_come(SPELLED) => Shown::Met,
        Outcome::Taken | Outcome::Refused(_) if !story.came_unread(sent) => {
            by([broken_by(sent, sent.said())])
        }
        _ => Shown::Nothing(nothing_came()),
    }
}

fn is_announced(sent: &Sent, media_type: &str) -> bool {
    sent.message.header("content-type") == Some(media_type)
}

fn not_sent(protocol: Protocol) -> Why {
    let name = protocol.name();
    why(
        format!("events did not go in over {name} in the modes that the rule is about"),
        format!("er gingen over {name} geen gebeurtenissen naar binnen in de modi van de regel"),
    )
}

/// A control character comes out as it is.
fn control_character(story: &Story, protocol: Protocol) -> Shown {
    let why_not = why(
        "no such event came out in binary mode of this protocol; --odd sends one, and it may be refused",
        "zo\u{2019}n gebeurtenis kwam niet uit in binary mode van dit protocol; --odd verstuurt er een, en weigeren mag",
    );
    over(story.of_specimen(CONTROL_CHARACTER), why_not, |pair| {
        if (pair.event.protocol, pair.event.mode) != (protocol, Mode::Binary) {
            return None;
        }
        let value = pair.came.message.header("ce-subject").unwrap_or_default();
        found((!value.contains("%07")).then(|| format!("ce-subject: {value:?}")))
    })
}

/// A message in a format that nobody knows comes out as another.
fn unknown_format(story: &Story, protocol: Protocol) -> Shown {
    let sent = story.sent.iter().find(|sent| sent.name == UNKNOWN_FORMAT);
    let Some(sent) = sent.filter(|_| story.from == protocol) else {
        return nothing(
            "none was sent: --odd does, over the binding that the rule is of",
            "er is geen verstuurd: dat doet --odd, over het protocol van de regel",
        );
    };
    let mut came = story.came.iter();
    let Some(came) = came.find(|came| came.message.body() == sent.message.body()) else {
        return nothing(
            "the intermediary does not pass it on, and may refuse it",
            "de intermediair geeft het niet door, en mag het weigeren",
        );
    };
    let (was, is) = (&sent.message, &came.message);
    let (was, is) = (was.header("content-type"), is.header("content-type"));
    let seen = format!("content-type → {}", is.unwrap_or("∅"));
    by((was != is).then(|| evidence(came.line, seen)))
}
