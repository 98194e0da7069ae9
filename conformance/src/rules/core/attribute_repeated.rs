use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-NAME-7",
    en: Texts {
        title: "The same attribute more than once",
        explanation: "An attribute occurs at most once in an event. A repeat is reported by the rule of the format or the protocol.",
        why: "One reader takes the first value and another the last. A filter can then let through an event that its consumer reads differently.",
        fix: "Set each attribute once. Replace a header that is there already instead of adding a second one.",
    },
    nl: Texts {
        title: "Hetzelfde attribuut meer dan eens",
        explanation: "Een attribuut komt in een gebeurtenis hooguit één keer voor. Een herhaling wordt gemeld door de regel van het formaat of het protocol.",
        why: "De ene ontvanger neemt de eerste waarde en de andere de laatste. Een filter kan dan een gebeurtenis doorlaten die de afnemer anders leest.",
        fix: "Vul elk attribuut één keer. Vervang een header die er al is, in plaats van een tweede toe te voegen.",
    },
    good: Example::Event(""),
    bad: Example::Text(br#"{"specversion":"1.0","id":"1","id":"2","source":"/a","type":"nl.a.b"}"#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Umbrella(
        &["JSON-DUP-1", "KAFKA-BIN-7", "NATS-BIN-4", "HTTP-BIN-8"],
        Scope::Attributes,
    ),
};
