use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NL-GL-HOOK-1",
    en: Texts {
        title: "Token in the query where a header would do",
        explanation: "The guideline for webhooks asks to keep tokens out of the query, unless a sender cannot set the header `Authorization`.",
        why: "Whoever manages a gateway or reads its logs sees the URL, and can then deliver events in the name of the organisation.",
        fix: "Agree with the target on `Authorization: Bearer`; write down why if that is impossible.",
    },
    nl: Texts {
        title: "Token in de query waar een header kan",
        explanation: "De richtlijn voor webhooks vraagt om tokens uit de query te houden, tenzij een afzender de header `Authorization` niet kan zetten.",
        why: "Wie een gateway beheert of de logbestanden leest, ziet de URL en kan daarna namens de organisatie gebeurtenissen afleveren.",
        fix: "Spreek met de ontvanger `Authorization: Bearer` af, en leg vast waarom als dat niet kan.",
    },
    ..crate::rules::webhook::token_in_query::RULE
};
