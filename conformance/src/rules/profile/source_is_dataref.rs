use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NL-SOURCE-8",
    level: Levels::nl_gov_each(Some(Level::ShouldNot), Some(Level::MustNot)),
    status: Status::Released,
    clause: "NL GOV profile for CloudEvents 1.0/1.1, 3.3.2 source",
    title: Text {
        en: "`source` points to the data",
        nl: "`source` verwijst naar de data",
    },
    explanation: Text {
        en: "`source` names who publishes; `dataref` refers to data stored elsewhere. Provable from one event only where the two are equal.",
        nl: "`source` noemt wie publiceert; `dataref` verwijst naar data die elders staat. Uit één gebeurtenis alleen te bewijzen als beide gelijk zijn.",
    },
    why: Text {
        en: "With a source per piece of data nobody can filter by publisher, and `source` and `id` lose their meaning.",
        nl: "Met een bron per gegeven kan niemand op publicerende partij filteren en verliezen `source` en `id` hun betekenis.",
    },
    fix: Text {
        en: "Put the publishing organisation and system in `source`, and the address of the data in `dataref`.",
        nl: "Zet de publicerende organisatie en het systeem in `source`, en het adres van de data in `dataref`.",
    },
    good: Example::Event(r#""dataref":"https://brp.example/p/1""#),
    bad: Example::Event(
        r#""source":"https://brp.example/p/1","dataref":"https://brp.example/p/1""#,
    ),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let dataref = event.text("dataref");
        found.all(
            event
                .named("source")
                .filter(|source| dataref.is_some() && source.text() == dataref),
        );
    }),
};
