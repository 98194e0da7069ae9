use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "EXT-CORR-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "Extension correlation 1.0.3-wip",
    title: Text {
        en: "Empty `correlationid` or `causationid`, or one that is no text",
        nl: "Lege `correlationid` of `causationid`, of een die geen tekst is",
    },
    explanation: Text {
        en: "`correlationid` and `causationid`, if present, are Strings with at least one character.",
        nl: "Als `correlationid` en `causationid` aanwezig zijn, zijn ze tekst van ten minste één teken.",
    },
    why: Text {
        en: "All events with an empty `correlationid` seem to belong to one transaction, and an empty `causationid` points to no event.",
        nl: "Alle gebeurtenissen met een lege `correlationid` lijken bij één transactie te horen, en een lege `causationid` verwijst naar geen enkele gebeurtenis.",
    },
    fix: Text {
        en: "Give `correlationid` one value for each transaction and `causationid` the `id` of the event that was the cause, or leave them out.",
        nl: "Geef `correlationid` één waarde per transactie en `causationid` het `id` van de gebeurtenis die de oorzaak was, of laat ze weg.",
    },
    good: Example::Event(r#""correlationid":"txn-1""#),
    bad: Example::Event(r#""correlationid":"""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        for name in ["correlationid", "causationid"] {
            found.all(event.failing(name, |id| !id.is_empty()));
        }
    }),
};
