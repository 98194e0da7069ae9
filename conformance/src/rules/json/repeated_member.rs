use crate::reading::repeats::repeats;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-DUP-1",
    en: Texts {
        title: "The same JSON member twice",
        explanation: "Names of members within an event are unique, after their escapes are undone. A breach is an error although the level is SHOULD: a reader may refuse the text, and then there is no event.",
        why: "One reader takes the first value and another the last: a filter and a consumer then see two different events in one text.",
        fix: "Write each member once.",
    },
    nl: Texts {
        title: "Hetzelfde JSON-veld tweemaal",
        explanation: "Veldnamen binnen een gebeurtenis zijn uniek, nadat escapes zijn omgezet. Een schending is een fout, ook al is het niveau SHOULD: een ontvanger mag de tekst weigeren, en dan is er geen gebeurtenis.",
        why: "De ene ontvanger neemt de eerste waarde en de andere de laatste. Een filter en een afnemer zien dan twee verschillende gebeurtenissen in dezelfde tekst.",
        fix: "Schrijf elk veld één keer.",
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
