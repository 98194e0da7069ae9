use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NL-DATAREF-1",
    level: Levels::nl_gov(Level::May),
    status: Status::Released,
    clause: "NL GOV profile for CloudEvents 1.0/1.1, 3.4.7.2",
    title: Text {
        en: "`dataref` without data refused",
        nl: "`dataref` zonder data geweigerd",
    },
    explanation: Text {
        en: "An event may refer with `dataref` to data at the producer, and carry little or no data itself.",
        nl: "Een gebeurtenis mag met `dataref` verwijzen naar data bij de publicerende partij, en zelf weinig of geen data bevatten (informatiearm notificeren).",
    },
    why: Text {
        en: "Personal data is best fetched by whoever may see it. A receiver that refuses events without data forces producers to send it to everybody.",
        nl: "Persoonsgegevens kan een afnemer beter zelf ophalen, zodat de bron de toegang controleert. Wie gebeurtenissen zonder data weigert, dwingt de bron om die gegevens naar iedereen te sturen.",
    },
    fix: Text {
        en: "Accept events with `dataref`, with data and without.",
        nl: "Accepteer gebeurtenissen met `dataref`, met en zonder data.",
    },
    good: Example::Event(r#""dataref":"https://brp.example/p/1""#),
    applies: Applies::Event,
    ..ACCEPTANCE
};
