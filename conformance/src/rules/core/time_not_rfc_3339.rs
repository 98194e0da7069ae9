use crate::grammar::timestamp::is_timestamp;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TIME-1",
    en: Texts {
        title: "`time` is not an RFC 3339 timestamp",
        explanation: "If present, `time` is a date-time of RFC 3339: a full date, `T`, hours, minutes and seconds, and `Z` or an offset such as `+01:00`.",
        why: "Without an offset nobody knows which moment is meant, and software refuses other notations or guesses.",
        fix: "Write `2021-12-10T17:31:00Z`, or the local time with its offset. A receiver reads each form of RFC 3339, 5.6.",
    },
    nl: Texts {
        title: "`time` is geen tijdstip volgens RFC 3339",
        explanation: "Als `time` aanwezig is, is het een date-time volgens RFC 3339: volledige datum, `T`, uren, minuten en seconden, en `Z` of het verschil met UTC, zoals `+01:00`.",
        why: "Zonder tijdzone is onduidelijk welk moment bedoeld is, en software weigert andere notaties of gokt.",
        fix: "Schrijf `2021-12-10T17:31:00Z`, of de lokale tijd met het verschil ten opzichte van UTC. Een ontvanger leest elke vorm van RFC 3339, 5.6.",
    },
    good: Example::Event(r#""time":"2021-12-10T17:31:00Z""#),
    bad: Example::Event(r#""time":"2021-12-10T17:31Z""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| found.all(event.failing("time", is_timestamp))),
};
