use super::REQUEST_CALLBACK;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VRES-7",
    en: Texts {
        title: "Address without `OPTIONS` does not answer 405",
        explanation: "A target that does not handle `OPTIONS` answers 405. Reported for 501, for 404 to a request with a token, and for 2xx with an `Allow` that leaves `OPTIONS` out, where neither consent is given nor a callback was offered.",
        why: "After 405 a sender knows that this target has no handshake; after 200 or 501 it waits for consent, or takes it for an outage and tries again.",
        fix: "Answer 405 with `Allow: POST`.",
    },
    nl: Texts {
        title: "Adres zonder `OPTIONS` antwoordt niet met 405",
        explanation: "Een ontvanger die `OPTIONS` niet ondersteunt, antwoordt met 405. Gemeld bij 501, bij 404 op een verzoek met een token, en bij 2xx met een `Allow` zonder `OPTIONS`, als er geen toestemming is gegeven en geen callback was aangeboden.",
        why: "Na 405 weet een afzender dat deze ontvanger geen validatie kent. Na 200 of 501 wacht hij op toestemming, of denkt hij aan een storing en probeert hij het opnieuw.",
        fix: "Antwoord met 405 en `Allow: POST`.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\n→ 405\nAllow: POST",
    ),
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\n→ 200\nAllow: GET, POST",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(check),
};

fn check(exchange: &Exchange, found: &mut Found<'_>) {
    let (request, response) = (&exchange.request, &exchange.response);
    // One that is misspelt shows that the target knows of it.
    let is_of_hook = |name: &str| name.to_ascii_lowercase().starts_with("webhook-");
    let mut headers = response.headers.iter();
    let is_handled = headers.any(|header| is_of_hook(&header.name))
        || request.has(REQUEST_CALLBACK)
        || response.list("Allow").any(|method| method == "OPTIONS");
    match response.status {
        Some(501) => found.in_response().status(response),
        // Without a token, 404 may hide what is there.
        Some(404) if request.has_token() && !is_handled => found.in_response().status(response),
        Some(200..=299) if response.has("Allow") && !is_handled => {
            found.in_response().status(response);
        }
        _ => {}
    }
}
