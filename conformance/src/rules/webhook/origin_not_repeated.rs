use super::REQUEST_ORIGIN;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-REQ-3",
    en: Texts {
        title: "`WebHook-Request-Origin` of the handshake not repeated in a delivery",
        explanation: "After a handshake every delivery has `WebHook-Request-Origin`, with the value that the target agreed to. Judged where the handshake is known.",
        why: "The target checks by this header that the sender is one it agreed to, and refuses the delivery or counts it against another sender's rate.",
        fix: "Keep the origin with the subscription, and send it in every delivery.",
    },
    nl: Texts {
        title: "`WebHook-Request-Origin` uit de validatie niet herhaald bij de aflevering",
        explanation: "Na een validatie heeft elke aflevering `WebHook-Request-Origin`, met de waarde waarmee de ontvanger heeft ingestemd. Beoordeeld als de validatie bekend is.",
        why: "De ontvanger gaat met deze header na of hij met deze afzender heeft ingestemd. Anders weigert hij de aflevering, of telt hij die mee bij een andere afzender.",
        fix: "Bewaar de naam bij het abonnement en stuur die bij elke aflevering mee.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\nWebHook-Request-Origin: eventemitter.example.com\n→ 204",
    ),
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n-WebHook-Request-Origin\n→ 403",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        let (request, agreed) = (&exchange.request, exchange.handshake_origin.as_deref());
        let sent = request.header(REQUEST_ORIGIN);
        let is_agreed = |agreed: &str| sent.is_some_and(|sent| sent.eq_ignore_ascii_case(agreed));
        if agreed.is_some_and(|agreed| !is_agreed(agreed)) {
            found.header_of(request, REQUEST_ORIGIN);
        }
    }),
};
