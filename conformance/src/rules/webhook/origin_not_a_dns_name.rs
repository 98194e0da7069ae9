use super::REQUEST_ORIGIN;
use crate::grammar::dns::is_dns_name;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VREQ-2",
    en: Texts {
        title: "`WebHook-Request-Origin` missing, or not a DNS name",
        explanation: "The validation request names the sending system as a whole by a DNS name in `WebHook-Request-Origin`: no scheme, port or path, and no IP address. It is not the `Origin` of CORS.",
        why: "The target decides by this name whether it wants events, and compares it in every delivery.",
        fix: "Send `WebHook-Request-Origin: eventemitter.example.com`.",
    },
    nl: Texts {
        title: "`WebHook-Request-Origin` ontbreekt of is geen DNS-naam",
        explanation: "Het validatieverzoek noemt het verzendende systeem als geheel met een DNS-naam in `WebHook-Request-Origin`: zonder `https://`, poort of pad, en geen IP-adres. Dit is niet de `Origin` van CORS.",
        why: "De ontvanger beslist op grond van deze naam of hij gebeurtenissen wil, en vergelijkt de naam bij elke aflevering.",
        fix: "Verstuur `WebHook-Request-Origin: eventemitter.example.com`.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\n→ 405\nAllow: POST",
    ),
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: https://eventemitter.example.com\n→ 400",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        if !request.header(REQUEST_ORIGIN).is_some_and(is_dns_name) {
            found.header_of(request, REQUEST_ORIGIN);
        }
    }),
};
