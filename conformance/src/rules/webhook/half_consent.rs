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
        let misspelt = |own: &str| {
            let mut headers = response.headers.iter();
            headers.find(|header| is_misspelt(&header.name, own))
        };
        let is_meant = misspelt(ALLOWED_ORIGIN).is_some() || misspelt(ALLOWED_RATE).is_some();
        let missing = match (response.has(ALLOWED_ORIGIN), response.has(ALLOWED_RATE)) {
            (false, has_rate) if has_rate || is_meant => ALLOWED_ORIGIN,
            (true, false) if request.has(REQUEST_RATE) => ALLOWED_RATE,
            _ => return,
        };
        match misspelt(missing) {
            Some(header) => found.in_response().header(header),
            None => found.in_response().header_of(response, missing),
        }
    }),
};

/// Whether it is meant as one of the two, as `WebHook-Allow-Origin` is.
fn is_misspelt(name: &str, own: &str) -> bool {
    let (name, own) = (name.to_ascii_lowercase(), own.to_ascii_lowercase());
    let has_its_end = name.rsplit('-').next() == own.rsplit('-').next();
    name != own && name.starts_with("webhook-allow") && has_its_end
}
