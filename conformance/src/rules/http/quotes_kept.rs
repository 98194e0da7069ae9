use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-DEC-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.2, 3.1.3.2",
    title: Text {
        en: "Quotes of an older sender kept in the value",
        nl: "Aanhalingstekens van een oudere afzender in de waarde gelaten",
    },
    explanation: Text {
        en: "A reader first removes double quotes around a value and undoes backslash escapes, and decodes percent codes after that.",
        nl: "Een ontvanger verwijdert eerst dubbele aanhalingstekens om een waarde, maakt backslash-escapes ongedaan en zet pas daarna procentcodes om.",
    },
    why: Text {
        en: "Senders that follow the older text quote values with spaces. A reader that keeps the quotes hands out another `subject` than was sent.",
        nl: "Afzenders die de oudere tekst volgen, zetten aanhalingstekens om waarden met spaties. Een ontvanger die ze laat staan, levert een ander `subject` op dan er is verstuurd.",
    },
    fix: Text {
        en: "Remove enclosing quotes and backslash escapes before decoding.",
        nl: "Verwijder omsluitende aanhalingstekens en backslash-escapes vóór het decoderen.",
    },
    good: Example::Message(Protocol::Http, r#"ce-subject: "Euro \"5\"""#),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
