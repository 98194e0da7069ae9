use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-TYPE-4",
    en: Texts {
        title: "Type of an attribute guessed from the look of its text",
        explanation: "The type of an attribute may be inferred from JSON: `true` is a Boolean, `5` an Integer. A string may be a String, URI, Timestamp or Binary, and its look does not tell which.",
        why: "A reader that takes every text in the form of a date for a timestamp writes it back in another notation, and changes the attribute.",
        fix: "Treat an unknown extension that is a string as a String, and keep its text as it is.",
    },
    nl: Texts {
        title: "Type van een attribuut geraden uit hoe de tekst eruitziet",
        explanation: "Het type van een attribuut mag worden afgeleid uit JSON: `true` is een Boolean, `5` een Integer. Een tekst kan een String, URI, Timestamp of Binary zijn, en aan de tekst is dat niet te zien.",
        why: "Een ontvanger die elke tekst in de vorm van een datum als tijdstip opvat, schrijft die in een andere notatie terug en verandert zo het attribuut.",
        fix: "Behandel een onbekende extensie met tekst als String en laat de tekst ongewijzigd.",
    },
    good: Example::Event(r#""ext":"2018-04-05T17:31:00.10Z""#),
    applies: Applies::Json,
    ..ACCEPTANCE
};
