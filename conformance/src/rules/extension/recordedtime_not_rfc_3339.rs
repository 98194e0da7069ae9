use crate::grammar::timestamp::is_timestamp;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "EXT-REC-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "Extension recorded time 1.0.3-wip",
    title: Text {
        en: "`recordedtime` is not an RFC 3339 timestamp",
        nl: "`recordedtime` is geen tijdstip volgens RFC 3339",
    },
    explanation: Text {
        en: "`recordedtime` is a date-time of RFC 3339, with `Z` or an offset.",
        nl: "`recordedtime` is een date-time volgens RFC 3339, met `Z` of het verschil met UTC, zoals `+01:00`.",
    },
    why: Text {
        en: "Consumers set it beside `time` to see how late a fact was recorded. A date without hour or offset cannot be compared.",
        nl: "Afnemers leggen het naast `time` om te zien hoe laat een feit is vastgelegd. Een datum zonder uur of tijdzone is niet te vergelijken.",
    },
    fix: Text {
        en: "Write `2024-01-01T00:00:00Z`, or the local time with its offset.",
        nl: "Schrijf `2024-01-01T00:00:00Z`, of de lokale tijd met het verschil ten opzichte van UTC.",
    },
    good: Example::Event(r#""recordedtime":"2024-01-01T00:00:00Z""#),
    bad: Example::Event(r#""recordedtime":"gisteren""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("recordedtime", is_timestamp))),
};
