use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VRES-4",
    level: Levels::everywhere(Level::Should),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.2.2",
    title: Text {
        en: "Consent without `WebHook-Allowed-Rate`",
        nl: "Toestemming zonder `WebHook-Allowed-Rate`",
    },
    explanation: Text {
        en: "A target that agrees answers with `WebHook-Allowed-Rate` also where the sender asked for no rate. Section 4.2 demands it, 4.2.2 recommends it; targets are judged by the latter.",
        nl: "Een ontvanger die instemt, antwoordt ook met `WebHook-Allowed-Rate` als de afzender geen tempo vroeg. Paragraaf 4.2 eist dit, 4.2.2 raadt het aan; ontvangers worden volgens de laatste beoordeeld.",
    },
    why: Text {
        en: "A sender that follows 4.2 sees no consent without a rate, and one that follows 4.2.2 has to guess it.",
        nl: "Een afzender die 4.2 volgt, ziet zonder tempo geen toestemming. Een afzender die 4.2.2 volgt, moet het tempo raden.",
    },
    fix: Text {
        en: "Add `WebHook-Allowed-Rate`, with `*` where there is no limit.",
        nl: "Voeg `WebHook-Allowed-Rate` toe, met `*` als er geen grens is.",
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
        let is_asked = request.has("WebHook-Request-Rate");
        if !is_asked && response.has(ORIGIN) && !response.has(RATE) {
            found.in_response().header_of(response, RATE);
        }
    }),
};

const ORIGIN: &str = "WebHook-Allowed-Origin";
const RATE: &str = "WebHook-Allowed-Rate";
