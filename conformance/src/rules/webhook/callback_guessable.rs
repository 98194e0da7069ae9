use super::REQUEST_CALLBACK;
use crate::grammar::query::may_hold_secret;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VREQ-4",
    en: Texts {
        title: "Callback URL without a secret",
        explanation: "The URL in `WebHook-Request-Callback` has an identifier of the target and a secret that cannot be guessed. Reported where no part of it could be a secret.",
        why: "Whoever calls that URL agrees on behalf of the target. Without a secret anybody can, and the sender floods a target that never agreed.",
        fix: "Make a random value of at least 128 bits for each handshake, and accept it once.",
    },
    nl: Texts {
        title: "Callback-URL zonder geheim",
        explanation: "De URL in `WebHook-Request-Callback` bevat een kenmerk van de ontvanger en een geheim dat niet te raden is. Gemeld als geen enkel deel een geheim kan zijn.",
        why: "Wie deze URL aanroept, stemt in namens de ontvanger. Zonder geheim kan iedereen dat, en krijgt een ontvanger gebeurtenissen waar hij niet om vroeg.",
        fix: "Maak voor elke validatie een willekeurige waarde van ten minste 128 bits en accepteer die één keer.",
    },
    good: super::LATER,
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: https://eventemitter.example.com/confirm\n→ 202\nAllow: POST, OPTIONS",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        if request
            .header(REQUEST_CALLBACK)
            .is_some_and(|url| !may_hold_secret(url))
        {
            found.header_of(request, REQUEST_CALLBACK);
        }
    }),
};
