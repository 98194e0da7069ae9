use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-RESP-1",
    en: Texts {
        title: "Delivery answered with a redirect",
        explanation: "A target does not answer a delivery with a 3xx redirect. Judged on recorded exchanges.",
        why: "A sender must not follow a redirect, so the event is not delivered; following it would take token and data to an address that nobody agreed on.",
        fix: "Register the new address, and answer 410 at the old one.",
    },
    nl: Texts {
        title: "Aflevering beantwoord met een doorverwijzing",
        explanation: "Een ontvanger beantwoordt een aflevering niet met een doorverwijzing (3xx). Beoordeeld op een vastgelegd verzoek met het antwoord erop.",
        why: "Een afzender mag een doorverwijzing niet volgen, dus de gebeurtenis komt niet aan. Volgen zou het token en de data naar een adres brengen dat niemand heeft afgesproken.",
        fix: "Registreer het nieuwe adres en antwoord op het oude met 410.",
    },
    good: super::DELIVERY,
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
