use crate::grammar::dns::is_dns_name;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VREQ-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.1.2",
    title: Text {
        en: "`WebHook-Request-Origin` missing, or not a DNS name",
        nl: "`WebHook-Request-Origin` ontbreekt of is geen DNS-naam",
    },
    explanation: Text {
        en: "The validation request names the sending system as a whole by a DNS name in `WebHook-Request-Origin`: no scheme, port or path, and no IP address. It is not the `Origin` of CORS.",
        nl: "Het validatieverzoek noemt het verzendende systeem als geheel met een DNS-naam in `WebHook-Request-Origin`: zonder `https://`, poort of pad, en geen IP-adres. Dit is niet de `Origin` van CORS.",
    },
    why: Text {
        en: "The target decides by this name whether it wants events, and compares it in every delivery.",
        nl: "De ontvanger beslist op grond van deze naam of hij gebeurtenissen wil, en vergelijkt de naam bij elke aflevering.",
    },
    fix: Text {
        en: "Send `WebHook-Request-Origin: eventemitter.example.com`.",
        nl: "Verstuur `WebHook-Request-Origin: eventemitter.example.com`.",
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
        if !exchange.request.header(ORIGIN).is_some_and(is_dns_name) {
            found.header_of(&exchange.request, ORIGIN);
        }
    }),
};

const ORIGIN: &str = "WebHook-Request-Origin";
