use crate::grammar::query::may_hold_secret;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VREQ-4",
    level: Levels::everywhere(Level::Should),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.1.3",
    title: Text {
        en: "Callback URL without a secret",
        nl: "Callback-URL zonder geheim",
    },
    explanation: Text {
        en: "The URL in `WebHook-Request-Callback` has an identifier of the target and a secret that cannot be guessed. Reported where no part of it could be a secret.",
        nl: "De URL in `WebHook-Request-Callback` bevat een kenmerk van de ontvanger en een geheim dat niet te raden is. Gemeld als geen enkel deel een geheim kan zijn.",
    },
    why: Text {
        en: "Whoever calls that URL agrees on behalf of the target. Without a secret anybody can, and the sender floods a target that never agreed.",
        nl: "Wie deze URL aanroept, stemt in namens de ontvanger. Zonder geheim kan iedereen dat, en krijgt een ontvanger gebeurtenissen waar hij niet om vroeg.",
    },
    fix: Text {
        en: "Make a random value of at least 128 bits for each handshake, and accept it once.",
        nl: "Maak voor elke validatie een willekeurige waarde van ten minste 128 bits en accepteer die één keer.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: https://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS",
    ),
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: https://eventemitter.example.com/confirm\n→ 202\nAllow: POST, OPTIONS",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        if request
            .header(CALLBACK)
            .is_some_and(|url| !may_hold_secret(url))
        {
            found.header_of(request, CALLBACK);
        }
    }),
};

const CALLBACK: &str = "WebHook-Request-Callback";
