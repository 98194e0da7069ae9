use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-PART-1",
    en: Texts {
        title: "Empty `partitionkey`, or one that is no text",
        explanation: "If present, `partitionkey` is a String with at least one character.",
        why: "Events with one key stay in order in one partition. With an empty key, all events crowd into one partition or are spread without order.",
        fix: "Use what belongs together as key, such as a case number, or leave the attribute out.",
    },
    nl: Texts {
        title: "Lege `partitionkey`, of een `partitionkey` die geen tekst is",
        explanation: "Als `partitionkey` aanwezig is, is het een tekst van ten minste één teken.",
        why: "Gebeurtenissen met dezelfde sleutel blijven op volgorde in één partitie. Met een lege sleutel komen ze allemaal in één partitie, of raken ze zonder volgorde verspreid.",
        fix: "Gebruik als sleutel wat bij elkaar hoort, zoals een zaaknummer, of laat het attribuut weg.",
    },
    good: Example::Event(r#""partitionkey":"zaak-7""#),
    bad: Example::Event(r#""partitionkey":"""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("partitionkey", |key| !key.is_empty()));
    }),
};
