use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "JSON-TYPE-4",
    level: Levels::everywhere(Level::May),
    status: Status::Released,
    clause: "JSON event format 1.0.1/1.0.2, 2.2 Type System Mapping",
    title: Text {
        en: "Type of an attribute guessed from the look of its text",
        nl: "Type van een attribuut geraden uit hoe de tekst eruitziet",
    },
    explanation: Text {
        en: "The type of an attribute may be inferred from JSON: `true` is a Boolean, `5` an Integer. A string may be a String, URI, Timestamp or Binary, and its look does not tell which.",
        nl: "Het type van een attribuut mag worden afgeleid uit JSON: `true` is een Boolean, `5` een Integer. Een tekst kan een String, URI, Timestamp of Binary zijn, en aan de tekst is dat niet te zien.",
    },
    why: Text {
        en: "A reader that takes every text in the form of a date for a timestamp writes it back in another notation, and changes the attribute.",
        nl: "Een ontvanger die elke tekst in de vorm van een datum als tijdstip opvat, schrijft die in een andere notatie terug en verandert zo het attribuut.",
    },
    fix: Text {
        en: "Treat an unknown extension that is a string as a String, and keep its text as it is.",
        nl: "Behandel een onbekende extensie met tekst als String en laat de tekst ongewijzigd.",
    },
    good: Example::Event(r#""ext":"2018-04-05T17:31:00.10Z""#),
    applies: Applies::Json,
    ..ACCEPTANCE
};
