use crate::grammar::query::has_token;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-AUTH-9",
    en: Texts {
        title: "Token in the query of the URL",
        explanation: "The token travels in `Authorization`. The query is a last resort, for senders that can send neither that header nor a token in the body.",
        why: "URLs end up in logs of proxies, gateways and monitoring, and the token with them.",
        fix: "Send the token as `Authorization: Bearer`, and replace the tokens that were sent in a URL.",
    },
    nl: Texts {
        title: "Token in de query van de URL",
        explanation: "Het token hoort in `Authorization`. De query is een noodgreep voor afzenders die geen header en ook geen token in de inhoud kunnen meesturen.",
        why: "URL’s komen terecht in logbestanden van proxy’s, gateways en monitoring, en het token dus ook.",
        fix: "Stuur het token als `Authorization: Bearer` en vervang de tokens die al in een URL hebben gestaan.",
    },
    good: super::DELIVERY,
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook?access_token=abc\nContent-Type: application/cloudevents+json\nCache-Control: no-store\n→ 204\nCache-Control: private",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        if exchange.request.target.as_deref().is_some_and(has_token) {
            found.target(&exchange.request);
        }
    }),
};
