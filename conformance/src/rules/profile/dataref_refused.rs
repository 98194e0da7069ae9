use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-DATAREF-1",
    en: Texts {
        title: "`dataref` without data refused",
        explanation: "An event may refer with `dataref` to data at the producer, and carry little or no data itself.",
        why: "Personal data is best fetched by whoever may see it. A receiver that refuses events without data forces producers to send it to everybody.",
        fix: "Accept events with `dataref`, with data and without.",
    },
    nl: Texts {
        title: "`dataref` zonder data geweigerd",
        explanation: "Een gebeurtenis mag met `dataref` verwijzen naar data bij de publicerende partij, en zelf weinig of geen data bevatten (informatiearm notificeren).",
        why: "Persoonsgegevens kan een afnemer beter zelf ophalen, zodat de bron de toegang controleert. Wie gebeurtenissen zonder data weigert, dwingt de bron om die gegevens naar iedereen te sturen.",
        fix: "Accepteer gebeurtenissen met `dataref`, met en zonder data.",
    },
    good: Example::Event(r#""dataref":"https://brp.example/p/1""#),
    applies: Applies::Event,
    ..ACCEPTANCE
};
