use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-ID-4",
    en: Texts {
        title: "Event dropped because its `source` and `id` were seen before",
        explanation: "A consumer may take an event whose `source` and `id` it has seen before for a repeat, and drop it. Producers and bridges have to expect that.",
        why: "Delivery is repeated when an acknowledgement gets lost. A consumer that may not drop repeats would handle one removal twice.",
        fix: "Deliver the same event again without changes, and never give the `id` of one event to another. As a receiver, compare `source` and `id` whole, and answer a repeat with 2xx.",
    },
    nl: Texts {
        title: "Gebeurtenis weggelaten omdat `source` en `id` al eerder voorkwamen",
        explanation: "Een afnemer mag een gebeurtenis waarvan `source` en `id` al eerder voorkwamen als herhaling opvatten en weglaten. Afzenders en intermediairs moeten daar rekening mee houden.",
        why: "Als een ontvangstbevestiging verloren gaat, wordt opnieuw afgeleverd. Een afnemer die herhalingen niet mag weglaten, zou één verhuizing twee keer verwerken.",
        fix: "Lever dezelfde gebeurtenis ongewijzigd opnieuw af en gebruik het `id` van een gebeurtenis nooit voor een andere. Vergelijk als ontvanger `source` en `id` in hun geheel en beantwoord een herhaling met 2xx.",
    },
    good: Example::Stream(&[r#""subject":"a""#, r#""subject":"a""#]),
    applies: Applies::Stream,
    ..ACCEPTANCE
};
