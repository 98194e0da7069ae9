use super::{ALLOWED_ORIGIN, ALLOWED_RATE, REQUEST_RATE};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VRES-4",
    en: Texts {
        title: "Consent without `WebHook-Allowed-Rate`",
        explanation: "A target that agrees answers with `WebHook-Allowed-Rate` also where the sender asked for no rate. Section 4.2 demands it, 4.2.2 recommends it; targets are judged by the latter.",
        why: "A sender that follows 4.2 sees no consent without a rate, and one that follows 4.2.2 has to guess it.",
        fix: "Add `WebHook-Allowed-Rate`, with `*` where there is no limit.",
    },
    nl: Texts {
        title: "Toestemming zonder `WebHook-Allowed-Rate`",
        explanation: "Een ontvanger die instemt, antwoordt ook met `WebHook-Allowed-Rate` als de afzender geen tempo vroeg. Paragraaf 4.2 eist dit, 4.2.2 raadt het aan; ontvangers worden volgens de laatste beoordeeld.",
        why: "Een afzender die 4.2 volgt, ziet zonder tempo geen toestemming. Een afzender die 4.2.2 volgt, moet het tempo raden.",
        fix: "Voeg `WebHook-Allowed-Rate` toe, met `*` als er geen grens is.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: *",
    ),
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let (request, response) = (&exchange.request, &exchange.response);
        let is_asked = request.has(REQUEST_RATE);
        if !is_asked && response.has(ALLOWED_ORIGIN) && !response.has(ALLOWED_RATE) {
            found.in_response().header_of(response, ALLOWED_RATE);
        }
    }),
};
