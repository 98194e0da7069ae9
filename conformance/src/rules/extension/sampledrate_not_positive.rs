use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-SAMPLE-1",
    en: Texts {
        title: "`sampledrate` is not a whole number above zero",
        explanation: "If present, `sampledrate` is an Integer above zero: of how many similar events this one was sent. Behind a hop through headers the number may be text.",
        why: "Consumers multiply by this number to count how often something happened. With 0 this event, and all it stands for, disappears from the count.",
        fix: "Write 30 if one in 30 events is sent. Leave the attribute out if all are.",
    },
    nl: Texts {
        title: "`sampledrate` is geen geheel getal groter dan nul",
        explanation: "Als `sampledrate` aanwezig is, is het een geheel getal groter dan nul: op hoeveel soortgelijke gebeurtenissen deze ene is verzonden. Na vervoer in headers mag het getal tekst zijn.",
        why: "Afnemers vermenigvuldigen met dit getal om te tellen hoe vaak iets is gebeurd. Bij 0 verdwijnt deze gebeurtenis uit de telling, met alles waar zij voor staat.",
        fix: "Schrijf 30 als van elke 30 gebeurtenissen er één wordt verzonden. Laat het attribuut weg als alles wordt verzonden.",
    },
    good: Example::Event(r#""sampledrate":30"#),
    bad: Example::Event(r#""sampledrate":0"#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let rates = event.named("sampledrate");
        found.all(rates.filter(|rate| rate.integer().is_none_or(|rate| rate <= 0)));
    }),
};
