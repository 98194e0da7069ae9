use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VRES-10",
    en: Texts {
        title: "Callback refused for the rate that it names",
        explanation: "A target that agrees by callback may send `WebHook-Allowed-Rate` in that request. The example is the answer that comes before it.",
        why: "A sender that refuses the header, or does not look at it, delivers at a rate the target did not grant.",
        fix: "Read `WebHook-Allowed-Rate` from the callback, and keep to it.",
    },
    nl: Texts {
        title: "Callback geweigerd vanwege het tempo erin",
        explanation: "Een ontvanger die via de callback instemt, mag daarin `WebHook-Allowed-Rate` meesturen. Het voorbeeld is het antwoord dat eraan voorafgaat.",
        why: "Een afzender die de header weigert of er niet naar kijkt, levert af in een tempo dat de ontvanger niet heeft toegestaan.",
        fix: "Lees `WebHook-Allowed-Rate` uit de callback en houd u eraan.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\nWebHook-Request-Callback: https://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS",
    ),
    applies: Applies::Validation,
    ..ACCEPTANCE
};
