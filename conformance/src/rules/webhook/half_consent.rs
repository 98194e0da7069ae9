use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VRES-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.2",
    title: Text {
        en: "`WebHook-Allowed-Origin` and `WebHook-Allowed-Rate` not both in the answer",
        nl: "`WebHook-Allowed-Origin` en `WebHook-Allowed-Rate` niet allebei in het antwoord",
    },
    explanation: Text {
        en: "A target that agrees answers with both `WebHook-Allowed-Origin` and `WebHook-Allowed-Rate`, and one that does not with neither. The status says nothing. A missing rate is judged by this rule where the sender asked for one, and else by HOOK-VRES-4.",
        nl: "Een ontvanger die instemt, antwoordt met `WebHook-Allowed-Origin` en `WebHook-Allowed-Rate`; wie niet instemt, met geen van beide. De status zegt niets. Een ontbrekend tempo valt onder deze regel als de afzender erom vroeg, en anders onder HOOK-VRES-4.",
    },
    why: Text {
        en: "With one header a sender cannot tell whether the target agreed: it delivers to one that did not, or leaves out one that did.",
        nl: "Met één header weet een afzender niet of de ontvanger instemt. Hij levert dan af zonder toestemming, of juist niet terwijl die er wel is.",
    },
    fix: Text {
        en: "Send both headers to agree, and neither of them to refuse.",
        nl: "Stuur beide headers om in te stemmen en geen van beide om te weigeren.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: 120",
    ),
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Rate: 120",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let (request, response) = (&exchange.request, &exchange.response);
        let missing = match (response.has(ORIGIN), response.has(RATE)) {
            (false, true) => ORIGIN,
            (true, false) if request.has("WebHook-Request-Rate") => RATE,
            _ => return,
        };
        found.in_response().header_of(response, missing);
    }),
};

const ORIGIN: &str = "WebHook-Allowed-Origin";
const RATE: &str = "WebHook-Allowed-Rate";
