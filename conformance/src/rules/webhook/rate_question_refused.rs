use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VREQ-5",
    level: Levels::everywhere(Level::May),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.1.4",
    title: Text {
        en: "Handshake refused for the rate that it asks",
        nl: "Validatie geweigerd vanwege het gevraagde tempo",
    },
    explanation: Text {
        en: "A sender may say in `WebHook-Request-Rate` how many requests per minute it wants to send.",
        nl: "Een afzender mag in `WebHook-Request-Rate` aangeven hoeveel verzoeken per minuut hij wil versturen.",
    },
    why: Text {
        en: "A target that refuses the handshake for this header shuts out senders that announce their load, and lets in those that do not.",
        nl: "Een ontvanger die om deze header weigert, sluit afzenders uit die hun belasting netjes melden en laat anderen toe.",
    },
    fix: Text {
        en: "Answer with the rate you can take in `WebHook-Allowed-Rate`; it may be lower.",
        nl: "Antwoord in `WebHook-Allowed-Rate` met het tempo dat u aankunt; dat mag lager zijn.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Rate: 120\n→ 200\nAllow: POST, OPTIONS\nWebHook-Allowed-Origin: eventemitter.example.com\nWebHook-Allowed-Rate: 120",
    ),
    applies: Applies::Validation,
    ..ACCEPTANCE
};
