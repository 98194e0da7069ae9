use crate::reading::repeats::repeats;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "JSON-DUP-1",
    level: Levels::everywhere(Level::Should),
    status: Status::Released,
    clause: "RFC 8259 section 4 (referenced by the JSON event format)",
    title: Text {
        en: "The same JSON member twice",
        nl: "Hetzelfde JSON-veld tweemaal",
    },
    explanation: Text {
        en: "Names of members within an event are unique, after their escapes are undone.",
        nl: "Veldnamen binnen een gebeurtenis zijn uniek, nadat escapes zijn omgezet.",
    },
    why: Text {
        en: "One reader takes the first value and another the last: a filter and a consumer then see two different events in one text.",
        nl: "De ene ontvanger neemt de eerste waarde en de andere de laatste. Een filter en een afnemer zien dan twee verschillende gebeurtenissen in dezelfde tekst.",
    },
    fix: Text {
        en: "Write each member once.",
        nl: "Schrijf elk veld één keer.",
    },
    good: Example::Event(""),
    bad: Example::Text(
        br#"{"specversion":"1.0","id":"1","\u0069d":"2","source":"/a","type":"nl.a.b"}"#,
    ),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(|event, found| {
        for member in repeats(&event.members, |one, other| one.name.cmp(&other.name)) {
            found.member(member);
        }
    }),
};
