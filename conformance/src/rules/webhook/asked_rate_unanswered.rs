use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VRES-3",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.2.2",
    title: Text {
        en: "Requested rate left unanswered",
        nl: "Gevraagd tempo niet beantwoord",
    },
    explanation: Text {
        en: "A target that agrees to a request with `WebHook-Request-Rate` answers with `WebHook-Allowed-Rate`.",
        nl: "Een ontvanger die instemt met een verzoek met `WebHook-Request-Rate`, antwoordt met `WebHook-Allowed-Rate`.",
    },
    why: Text {
        en: "The sender does not know how fast it may deliver: it stays slow for nothing, or overloads the target.",
        nl: "De afzender weet niet hoe snel hij mag afleveren. Hij blijft onnodig traag of overbelast de ontvanger.",
    },
    fix: Text {
        en: "Answer `WebHook-Allowed-Rate: 120` with the rate you can take, or `*` for no limit.",
        nl: "Antwoord met `WebHook-Allowed-Rate: 120` en het tempo dat u aankunt, of met `*` voor geen grens.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: 120",
    ),
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let (request, response) = (&exchange.request, &exchange.response);
        let is_asked = request.has("WebHook-Request-Rate");
        if is_asked && response.has(ORIGIN) && !response.has(RATE) {
            found.in_response().header_of(response, RATE);
        }
    }),
};

const ORIGIN: &str = "WebHook-Allowed-Origin";
const RATE: &str = "WebHook-Allowed-Rate";
