use super::{ALLOWED_ORIGIN, ALLOWED_RATE, REQUEST_CALLBACK};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VRES-8",
    en: Texts {
        title: "Consent header in an answer that leaves the decision to the callback",
        explanation: "A target that agrees by callback leaves `WebHook-Allowed-Origin` and `WebHook-Allowed-Rate` out of its answer. Reported where a callback was offered and the answer is 202: not decided yet.",
        why: "The headers are the consent. The sender begins to deliver before anybody has decided.",
        fix: "Answer 202 without both headers and call the callback later; or agree at once, with both headers and 200.",
    },
    nl: Texts {
        title: "Toestemming in een antwoord dat de beslissing uitstelt tot de callback",
        explanation: "Een ontvanger die via de callback instemt, laat `WebHook-Allowed-Origin` en `WebHook-Allowed-Rate` weg uit het antwoord. Gemeld als een callback was aangeboden en het antwoord 202 is: nog niet beslist.",
        why: "De headers zijn de toestemming. De afzender begint met afleveren voordat iemand heeft beslist.",
        fix: "Antwoord met 202 zonder beide headers en roep later de callback aan; of stem direct in, met beide headers en 200.",
    },
    good: super::LATER,
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: https://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: 120",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let (request, response) = (&exchange.request, &exchange.response);
        if request.has(REQUEST_CALLBACK) && response.status == Some(202) {
            for name in [ALLOWED_ORIGIN, ALLOWED_RATE] {
                for header in response.headers_named(name) {
                    found.in_response().header(header);
                }
            }
        }
    }),
};
