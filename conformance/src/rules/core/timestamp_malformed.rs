use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-TYPES-12",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, Type System / Timestamp",
    title: Text {
        en: "Attribute of type Timestamp without a valid timestamp",
        nl: "Attribuut van het type Timestamp zonder geldig tijdstip",
    },
    explanation: Text {
        en: "The value of an attribute of type Timestamp is a date-time of RFC 3339. `time` is such an attribute; CE-TIME-1 reports it. Timestamps that come from a draft, such as `recordedtime`, have rules of their own.",
        nl: "De waarde van een attribuut van het type Timestamp is een date-time volgens RFC 3339. Het gaat om `time`; CE-TIME-1 meldt een afwijking. Tijdstippen uit een concept, zoals `recordedtime`, hebben een eigen regel.",
    },
    why: Text {
        en: "`03-04-2023` is a day in March for one reader and in April for another, and without an offset the hour differs as well.",
        nl: "`03-04-2023` is voor de een een dag in april en voor de ander in maart, en zonder tijdzone verschilt ook het uur.",
    },
    fix: Text {
        en: "Write `2023-03-31T15:12:00Z`.",
        nl: "Schrijf `2023-03-31T15:12:00Z`.",
    },
    good: Example::Event(r#""time":"2023-03-31T15:12:00Z""#),
    bad: Example::Event(r#""time":"31-03-2023""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Umbrella(&["CE-TIME-1"], Scope::All),
};
