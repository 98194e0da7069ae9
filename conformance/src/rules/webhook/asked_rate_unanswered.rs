use super::{ALLOWED_ORIGIN, ALLOWED_RATE, REQUEST_RATE};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VRES-3",
    en: Texts {
        title: "Requested rate left unanswered",
        explanation: "A target that agrees to a request with `WebHook-Request-Rate` answers with `WebHook-Allowed-Rate`.",
        why: "The sender does not know how fast it may deliver: it stays slow for nothing, or overloads the target.",
        fix: "Answer `WebHook-Allowed-Rate: 120` with the rate you can take, or `*` for no limit.",
    },
    nl: Texts {
        title: "Gevraagd tempo niet beantwoord",
        explanation: "Een ontvanger die instemt met een verzoek met `WebHook-Request-Rate`, antwoordt met `WebHook-Allowed-Rate`.",
        why: "De afzender weet niet hoe snel hij mag afleveren. Hij blijft onnodig traag of overbelast de ontvanger.",
        fix: "Antwoord met `WebHook-Allowed-Rate: 120` en het tempo dat u aankunt, of met `*` voor geen grens.",
    },
    good: super::HANDSHAKE,
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let (request, response) = (&exchange.request, &exchange.response);
        let is_asked = request.has(REQUEST_RATE);
        if is_asked && response.has(ALLOWED_ORIGIN) && !response.has(ALLOWED_RATE) {
            found.in_response().header_of(response, ALLOWED_RATE);
        }
    }),
};
