use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-CORR-1",
    en: Texts {
        title: "Empty `correlationid` or `causationid`, or one that is no text",
        explanation: "`correlationid` and `causationid`, if present, are Strings with at least one character.",
        why: "All events with an empty `correlationid` seem to belong to one transaction, and an empty `causationid` points to no event.",
        fix: "Give `correlationid` one value for each transaction and `causationid` the `id` of the event that was the cause, or leave them out.",
    },
    nl: Texts {
        title: "Lege `correlationid` of `causationid`, of een die geen tekst is",
        explanation: "Als `correlationid` en `causationid` aanwezig zijn, zijn ze tekst van ten minste één teken.",
        why: "Alle gebeurtenissen met een lege `correlationid` lijken bij één transactie te horen, en een lege `causationid` verwijst naar geen enkele gebeurtenis.",
        fix: "Geef `correlationid` één waarde per transactie en `causationid` het `id` van de gebeurtenis die de oorzaak was, of laat ze weg.",
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
