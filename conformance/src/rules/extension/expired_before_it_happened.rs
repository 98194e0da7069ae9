use crate::grammar::timestamp::instant;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-EXPIRY-1",
    en: Texts {
        title: "`expirytime` is not a timestamp, or lies before `time`",
        explanation: "`expirytime` is a timestamp of RFC 3339 that is not before `time`.",
        why: "Intermediaries may discard an event whose `expirytime` has passed. One that expires before it happened may never reach anybody.",
        fix: "Choose a moment after `time`, or leave `expirytime` out.",
    },
    nl: Texts {
        title: "`expirytime` is geen tijdstip of ligt vóór `time`",
        explanation: "`expirytime` is een tijdstip volgens RFC 3339 dat niet vóór `time` ligt.",
        why: "Een intermediair mag een gebeurtenis weggooien waarvan `expirytime` voorbij is. Een gebeurtenis die verloopt voordat zij plaatsvond, bereikt mogelijk niemand.",
        fix: "Kies een tijdstip na `time`, of laat `expirytime` weg.",
    },
    good: Example::Event(r#""time":"2024-01-01T00:00:00Z","expirytime":"2024-01-02T00:00:00Z""#),
    bad: Example::Event(r#""time":"2024-01-02T00:00:00Z","expirytime":"2024-01-01T00:00:00Z""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let time = event.text("time").and_then(instant);
        found.all(event.failing("expirytime", |expiry| {
            instant(expiry).is_some_and(|expiry| time.is_none_or(|time| expiry >= time))
        }));
    }),
};
