use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VRES-10",
    level: Levels::everywhere(Level::May),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.1.3",
    title: Text {
        en: "Callback refused for the rate that it names",
        nl: "Callback geweigerd vanwege het tempo erin",
    },
    explanation: Text {
        en: "A target that agrees by callback may send `WebHook-Allowed-Rate` in that request. The example is the answer that comes before it.",
        nl: "Een ontvanger die via de callback instemt, mag daarin `WebHook-Allowed-Rate` meesturen. Het voorbeeld is het antwoord dat eraan voorafgaat.",
    },
    why: Text {
        en: "A sender that refuses the header, or does not look at it, delivers at a rate the target did not grant.",
        nl: "Een afzender die de header weigert of er niet naar kijkt, levert af in een tempo dat de ontvanger niet heeft toegestaan.",
    },
    fix: Text {
        en: "Read `WebHook-Allowed-Rate` from the callback, and keep to it.",
        nl: "Lees `WebHook-Allowed-Rate` uit de callback en houd u eraan.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\nWebHook-Request-Callback: https://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS",
    ),
    applies: Applies::Validation,
    ..ACCEPTANCE
};
