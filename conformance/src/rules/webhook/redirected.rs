use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-RESP-1",
    level: Levels::everywhere(Level::MustNot),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 2.2",
    title: Text {
        en: "Delivery answered with a redirect",
        nl: "Aflevering beantwoord met een doorverwijzing",
    },
    explanation: Text {
        en: "A target does not answer a delivery with a 3xx redirect. Judged on recorded exchanges.",
        nl: "Een ontvanger beantwoordt een aflevering niet met een doorverwijzing (3xx). Beoordeeld op een vastgelegd verzoek met het antwoord erop.",
    },
    why: Text {
        en: "A sender must not follow a redirect, so the event is not delivered; following it would take token and data to an address that nobody agreed on.",
        nl: "Een afzender mag een doorverwijzing niet volgen, dus de gebeurtenis komt niet aan. Volgen zou het token en de data naar een adres brengen dat niemand heeft afgesproken.",
    },
    fix: Text {
        en: "Register the new address, and answer 410 at the old one.",
        nl: "Registreer het nieuwe adres en antwoord op het oude met 410.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 204",
    ),
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 307\nLocation: https://ontvanger.example/hook2",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        if matches!(exchange.response.status, Some(300..=399)) {
            found.in_response().status(&exchange.response);
        }
    }),
};
