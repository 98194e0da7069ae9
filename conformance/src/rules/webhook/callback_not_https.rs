use crate::grammar::uri::is_https_url;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VREQ-7",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.1.3",
    title: Text {
        en: "`WebHook-Request-Callback` is not an HTTPS URL",
        nl: "`WebHook-Request-Callback` is geen HTTPS-URL",
    },
    explanation: Text {
        en: "The value of `WebHook-Request-Callback` is a whole URL that begins with `https://`.",
        nl: "De waarde van `WebHook-Request-Callback` is een volledige URL die begint met `https://`.",
    },
    why: Text {
        en: "The URL holds the secret with which a target agrees. Over plain HTTP others read it and agree in its name.",
        nl: "De URL bevat het geheim waarmee een ontvanger instemt. Via HTTP zonder TLS lezen anderen mee en stemmen zij in zijn naam in.",
    },
    fix: Text {
        en: "Offer an `https://` URL, with host and path.",
        nl: "Geef een URL met `https://` op, met host en pad.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: https://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS",
    ),
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: http://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        if request.has(CALLBACK) && !request.header(CALLBACK).is_some_and(is_https_url) {
            found.header_of(request, CALLBACK);
        }
    }),
};

const CALLBACK: &str = "WebHook-Request-Callback";
