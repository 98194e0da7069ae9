use super::REQUEST_CALLBACK;
use crate::grammar::uri::is_https_url;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VREQ-7",
    en: Texts {
        title: "`WebHook-Request-Callback` is not an HTTPS URL",
        explanation: "The value of `WebHook-Request-Callback` is a whole URL that begins with `https://`.",
        why: "The URL holds the secret with which a target agrees. Over plain HTTP others read it and agree in its name.",
        fix: "Offer an `https://` URL, with host and path.",
    },
    nl: Texts {
        title: "`WebHook-Request-Callback` is geen HTTPS-URL",
        explanation: "De waarde van `WebHook-Request-Callback` is een volledige URL die begint met `https://`.",
        why: "De URL bevat het geheim waarmee een ontvanger instemt. Via HTTP zonder TLS lezen anderen mee en stemmen zij in zijn naam in.",
        fix: "Geef een URL met `https://` op, met host en pad.",
    },
    good: super::LATER,
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: http://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        if request.has(REQUEST_CALLBACK)
            && !request.header(REQUEST_CALLBACK).is_some_and(is_https_url)
        {
            found.header_of(request, REQUEST_CALLBACK);
        }
    }),
};
