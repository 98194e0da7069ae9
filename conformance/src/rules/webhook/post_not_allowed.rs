use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VRES-6",
    en: Texts {
        title: "Answer to `OPTIONS` without `POST` in `Allow`",
        explanation: "The answer to the validation request has an `Allow` header that lists `POST`, in capitals. Judged for 2xx and 405.",
        why: "A sender that asks which methods the address takes learns that it does not take deliveries.",
        fix: "Add `Allow: POST, OPTIONS`.",
    },
    nl: Texts {
        title: "Antwoord op `OPTIONS` zonder `POST` in `Allow`",
        explanation: "Het antwoord op het validatieverzoek heeft een header `Allow` met daarin `POST`, in hoofdletters. Beoordeeld bij 2xx en 405.",
        why: "Een afzender die nagaat welke methoden het adres ondersteunt, leest hier dat afleveren niet kan.",
        fix: "Voeg `Allow: POST, OPTIONS` toe.",
    },
    good: super::HANDSHAKE,
    bad: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: GET\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: 120",
    ),
    decode: Decode::Accept,
    applies: Applies::Validation,
    check: Check::Exchange(|exchange, found| {
        let response = &exchange.response;
        if matches!(response.status, Some(200..=299 | 405))
            && !response.list("Allow").any(|method| method == "POST")
        {
            found.in_response().header_of(response, "Allow");
        }
    }),
};
