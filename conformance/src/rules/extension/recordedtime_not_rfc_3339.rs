use crate::grammar::timestamp::is_timestamp;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-REC-1",
    en: Texts {
        title: "`recordedtime` is not an RFC 3339 timestamp",
        explanation: "`recordedtime` is a date-time of RFC 3339, with `Z` or an offset.",
        why: "Consumers set it beside `time` to see how late a fact was recorded. A date without hour or offset cannot be compared.",
        fix: "Write `2024-01-01T00:00:00Z`, or the local time with its offset.",
    },
    nl: Texts {
        title: "`recordedtime` is geen tijdstip volgens RFC 3339",
        explanation: "`recordedtime` is een date-time volgens RFC 3339, met `Z` of het verschil met UTC, zoals `+01:00`.",
        why: "Afnemers leggen het naast `time` om te zien hoe laat een feit is vastgelegd. Een datum zonder uur of tijdzone is niet te vergelijken.",
        fix: "Schrijf `2024-01-01T00:00:00Z`, of de lokale tijd met het verschil ten opzichte van UTC.",
    },
    good: Example::Event(r#""recordedtime":"2024-01-01T00:00:00Z""#),
    bad: Example::Event(r#""recordedtime":"gisteren""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("recordedtime", is_timestamp))),
};
