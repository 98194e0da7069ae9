use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-14",
    en: Texts {
        title: "Number or boolean that arrives as text",
        explanation: "A value can arrive in its own type or as its canonical text. A receiver copes with both: `sampledrate` as the number 5 and as the text `5`.",
        why: "Headers carry text only. Behind Kafka, NATS or HTTP in binary mode a number has become text, and a receiver that refuses it loses valid events.",
        fix: "Read both forms. Take the type from what is known of the attribute, and not from what the text looks like.",
    },
    nl: Texts {
        title: "Getal of boolean die als tekst binnenkomt",
        explanation: "Een waarde kan binnenkomen in het eigen type of als tekst in de vaste schrijfwijze. Een ontvanger kan met beide omgaan: `sampledrate` als het getal 5 en als de tekst `5`.",
        why: "Headers bevatten alleen tekst. Na Kafka, NATS of HTTP in binaire modus is een getal tekst geworden. Een ontvanger die dat weigert, verliest geldige gebeurtenissen.",
        fix: "Lees beide vormen. Leid het type af uit wat over het attribuut bekend is, en niet uit hoe de tekst eruitziet.",
    },
    good: Example::Event(r#""sampledrate":"5""#),
    applies: Applies::Event,
    ..ACCEPTANCE
};
