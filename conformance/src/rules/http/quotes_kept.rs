use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-DEC-1",
    en: Texts {
        title: "Quotes of an older sender kept in the value",
        explanation: "A reader first removes double quotes around a value and undoes backslash escapes, and decodes percent codes after that.",
        why: "Senders that follow the older text quote values with spaces. A reader that keeps the quotes hands out another `subject` than was sent.",
        fix: "Remove enclosing quotes and backslash escapes before decoding.",
    },
    nl: Texts {
        title: "Aanhalingstekens van een oudere afzender in de waarde gelaten",
        explanation: "Een ontvanger verwijdert eerst dubbele aanhalingstekens om een waarde, maakt backslash-escapes ongedaan en zet pas daarna procentcodes om.",
        why: "Afzenders die de oudere tekst volgen, zetten aanhalingstekens om waarden met spaties. Een ontvanger die ze laat staan, levert een ander `subject` op dan er is verstuurd.",
        fix: "Verwijder omsluitende aanhalingstekens en backslash-escapes vóór het decoderen.",
    },
    good: Example::Message(Protocol::Http, r#"ce-subject: "Euro \"5\"""#),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
