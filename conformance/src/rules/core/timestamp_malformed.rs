use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-12",
    en: Texts {
        title: "Attribute of type Timestamp without a valid timestamp",
        explanation: "The value of an attribute of type Timestamp is a date-time of RFC 3339. `time` is such an attribute; CE-TIME-1 reports it. Timestamps that come from a draft, such as `recordedtime`, have rules of their own.",
        why: "`03-04-2023` is a day in March for one reader and in April for another, and without an offset the hour differs as well.",
        fix: "Write `2023-03-31T15:12:00Z`.",
    },
    nl: Texts {
        title: "Attribuut van het type Timestamp zonder geldig tijdstip",
        explanation: "De waarde van een attribuut van het type Timestamp is een date-time volgens RFC 3339. Het gaat om `time`; CE-TIME-1 meldt een afwijking. Tijdstippen uit een concept, zoals `recordedtime`, hebben een eigen regel.",
        why: "`03-04-2023` is voor de een een dag in april en voor de ander in maart, en zonder tijdzone verschilt ook het uur.",
        fix: "Schrijf `2023-03-31T15:12:00Z`.",
    },
    good: Example::Event(r#""time":"2023-03-31T15:12:00Z""#),
    bad: Example::Event(r#""time":"31-03-2023""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Umbrella(&["CE-TIME-1"], Scope::All),
};
