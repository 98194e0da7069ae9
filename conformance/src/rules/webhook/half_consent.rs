use super::{ALLOWED_ORIGIN, ALLOWED_RATE, REQUEST_RATE};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VRES-1",
    en: Texts {
        title: "`WebHook-Allowed-Origin` and `WebHook-Allowed-Rate` not both in the answer",
        explanation: "A target that agrees answers with both `WebHook-Allowed-Origin` and `WebHook-Allowed-Rate`, and one that does not with neither. The status says nothing. A missing rate is judged by this rule where the sender asked for one, and else by HOOK-VRES-4.",
        why: "With one header a sender cannot tell whether the target agreed: it delivers to one that did not, or leaves out one that did.",
        fix: "Send both headers, under these names, to agree, and neither of them to refuse.",
    },
    nl: Texts {
        title: "`WebHook-Allowed-Origin` en `WebHook-Allowed-Rate` niet allebei in het antwoord",
        explanation: "Een ontvanger die instemt, antwoordt met `WebHook-Allowed-Origin` en `WebHook-Allowed-Rate`; wie niet instemt, met geen van beide. De status zegt niets. Een ontbrekend tempo valt onder deze regel als de afzender erom vroeg, en anders onder HOOK-VRES-4.",
        why: "Met één header weet een afzender niet of de ontvanger instemt. Hij levert dan af zonder toestemming, of juist niet terwijl die er wel is.",
        fix: "Stuur beide headers, onder deze namen, om in te stemmen en geen van beide om te weigeren.",
    },
    good: super::HANDSHAKE,
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Rate: 120",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let (request, response) = (&exchange.request, &exchange.response);
        let misspelt = response.headers.iter().find(|it| is_misspelt(&it.name));
        let missing = match (response.has(ALLOWED_ORIGIN), response.has(ALLOWED_RATE)) {
            (false, has_rate) if has_rate || misspelt.is_some() => ALLOWED_ORIGIN,
            (true, false) if request.has(REQUEST_RATE) => ALLOWED_RATE,
            _ => return,
        };
        match misspelt {
            Some(header) => found.in_response().header(header),
            None => found.in_response().header_of(response, missing),
        }
    }),
};

/// Whether it is meant as one of the two, such as `WebHook-Allow-Origin`.
fn is_misspelt(name: &str) -> bool {
    let own = [ALLOWED_ORIGIN, ALLOWED_RATE];
    name.to_ascii_lowercase().starts_with("webhook-allow")
        && !own.iter().any(|own| own.eq_ignore_ascii_case(name))
}
