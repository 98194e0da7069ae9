use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NL-GL-HOOK-1",
    level: Levels::nl_gov(Level::ShouldNot),
    status: Status::Guideline,
    clause: "Guidelines for NL-GOV profile CloudEvents (working version 2024-07-15), 3.2",
    title: Text {
        en: "Token in the query where a header would do",
        nl: "Token in de query waar een header kan",
    },
    explanation: Text {
        en: "The guideline for webhooks asks to keep tokens out of the query, unless a sender cannot set the header `Authorization`.",
        nl: "De richtlijn voor webhooks vraagt om tokens uit de query te houden, tenzij een afzender de header `Authorization` niet kan zetten.",
    },
    why: Text {
        en: "Whoever manages a gateway or reads its logs sees the URL, and can then deliver events in the name of the organisation.",
        nl: "Wie een gateway beheert of de logbestanden leest, ziet de URL en kan daarna namens de organisatie gebeurtenissen afleveren.",
    },
    fix: Text {
        en: "Agree with the target on `Authorization: Bearer`; write down why if that is impossible.",
        nl: "Spreek met de ontvanger `Authorization: Bearer` af, en leg vast waarom als dat niet kan.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 204",
    ),
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook?access_token=abc\nContent-Type: application/cloudevents+json\nCache-Control: no-store\n→ 204\nCache-Control: private",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: crate::rules::webhook::token_in_query::RULE.check,
};
