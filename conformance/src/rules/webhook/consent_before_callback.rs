use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VRES-8",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.2",
    title: Text {
        en: "Consent header in an answer that leaves the decision to the callback",
        nl: "Toestemming in een antwoord dat de beslissing uitstelt tot de callback",
    },
    explanation: Text {
        en: "A target that agrees by callback leaves `WebHook-Allowed-Origin` and `WebHook-Allowed-Rate` out of its answer. Reported where a callback was offered and the answer is 202: not decided yet.",
        nl: "Een ontvanger die via de callback instemt, laat `WebHook-Allowed-Origin` en `WebHook-Allowed-Rate` weg uit het antwoord. Gemeld als een callback was aangeboden en het antwoord 202 is: nog niet beslist.",
    },
    why: Text {
        en: "The headers are the consent. The sender begins to deliver before anybody has decided.",
        nl: "De headers zijn de toestemming. De afzender begint met afleveren voordat iemand heeft beslist.",
    },
    fix: Text {
        en: "Answer 202 without both headers and call the callback later; or agree at once, with both headers and 200.",
        nl: "Antwoord met 202 zonder beide headers en roep later de callback aan; of stem direct in, met beide headers en 200.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: https://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS",
    ),
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: https://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: 120",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let (request, response) = (&exchange.request, &exchange.response);
        if request.has("WebHook-Request-Callback") && response.status == Some(202) {
            for name in ["WebHook-Allowed-Origin", "WebHook-Allowed-Rate"] {
                for header in response.headers_named(name) {
                    found.in_response().header(header);
                }
            }
        }
    }),
};
