use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-ID-4",
    level: Levels::everywhere(Level::May),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, id",
    title: Text {
        en: "Event dropped because its `source` and `id` were seen before",
        nl: "Gebeurtenis weggelaten omdat `source` en `id` al eerder voorkwamen",
    },
    explanation: Text {
        en: "A consumer may take an event whose `source` and `id` it has seen before for a repeat, and drop it. Producers and bridges have to expect that.",
        nl: "Een afnemer mag een gebeurtenis waarvan `source` en `id` al eerder voorkwamen als herhaling opvatten en weglaten. Afzenders en intermediairs moeten daar rekening mee houden.",
    },
    why: Text {
        en: "Delivery is repeated when an acknowledgement gets lost. A consumer that may not drop repeats would handle one removal twice.",
        nl: "Als een ontvangstbevestiging verloren gaat, wordt opnieuw afgeleverd. Een afnemer die herhalingen niet mag weglaten, zou één verhuizing twee keer verwerken.",
    },
    fix: Text {
        en: "Deliver the same event again without changes, and never give the `id` of one event to another.",
        nl: "Lever dezelfde gebeurtenis ongewijzigd opnieuw af en gebruik het `id` van een gebeurtenis nooit voor een andere.",
    },
    good: Example::Stream(&[r#""subject":"a""#, r#""subject":"a""#]),
    applies: Applies::Stream,
    ..ACCEPTANCE
};
