use crate::grammar::timestamp::is_timestamp;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-TIME-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, time",
    title: Text {
        en: "`time` is not an RFC 3339 timestamp",
        nl: "`time` is geen tijdstip volgens RFC 3339",
    },
    explanation: Text {
        en: "If present, `time` is a date-time of RFC 3339: a full date, `T`, hours, minutes and seconds, and `Z` or an offset such as `+01:00`.",
        nl: "Als `time` aanwezig is, is het een date-time volgens RFC 3339: volledige datum, `T`, uren, minuten en seconden, en `Z` of het verschil met UTC, zoals `+01:00`.",
    },
    why: Text {
        en: "Without an offset nobody knows which moment is meant, and software refuses other notations or guesses.",
        nl: "Zonder tijdzone is onduidelijk welk moment bedoeld is, en software weigert andere notaties of gokt.",
    },
    fix: Text {
        en: "Write `2021-12-10T17:31:00Z`, or the local time with its offset.",
        nl: "Schrijf `2021-12-10T17:31:00Z`, of de lokale tijd met het verschil ten opzichte van UTC.",
    },
    good: Example::Event(r#""time":"2021-12-10T17:31:00Z""#),
    bad: Example::Event(r#""time":"2021-12-10T17:31Z""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("time", is_timestamp))),
};
