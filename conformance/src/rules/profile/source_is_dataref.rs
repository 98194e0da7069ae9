use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-SOURCE-8",
    en: Texts {
        title: "`source` points to the data",
        explanation: "`source` names who publishes; `dataref` refers to data stored elsewhere. Provable from one event only where the two are equal.",
        why: "With a source per piece of data nobody can filter by publisher, and `source` and `id` lose their meaning.",
        fix: "Put the publishing organisation and system in `source`, and the address of the data in `dataref`.",
    },
    nl: Texts {
        title: "`source` verwijst naar de data",
        explanation: "`source` noemt wie publiceert; `dataref` verwijst naar data die elders staat. Uit één gebeurtenis alleen te bewijzen als beide gelijk zijn.",
        why: "Met een bron per gegeven kan niemand op publicerende partij filteren en verliezen `source` en `id` hun betekenis.",
        fix: "Zet de publicerende organisatie en het systeem in `source`, en het adres van de data in `dataref`.",
    },
    good: Example::Event(r#""dataref":"https://brp.example/p/1""#),
    bad: Example::Event(
        r#""source":"https://brp.example/p/1","dataref":"https://brp.example/p/1""#,
    ),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let dataref = event.text("dataref");
        found.all(event.matching("source", |source| dataref == Some(source)));
    }),
};
