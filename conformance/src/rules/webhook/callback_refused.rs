use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-VREQ-3",
    level: Levels::everywhere(Level::May),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 4.1.3",
    title: Text {
        en: "Handshake refused for its callback",
        nl: "Validatie geweigerd vanwege de callback",
    },
    explanation: Text {
        en: "A sender may put an HTTPS URL in `WebHook-Request-Callback`, at which the target can agree later.",
        nl: "Een afzender mag in `WebHook-Request-Callback` een HTTPS-URL opgeven waarop de ontvanger later kan instemmen.",
    },
    why: Text {
        en: "Where a person has to decide, an answer within the request is not possible; the callback is the only way to agree.",
        nl: "Als een medewerker moet beslissen, kan het antwoord niet direct komen. De callback is dan de enige manier om in te stemmen.",
    },
    fix: Text {
        en: "Ignore the header if you decide at once, and never refuse a handshake because of it.",
        nl: "Negeer de header als u direct beslist, en weiger nooit een validatie om deze header.",
    },
    good: Example::Validation(
        "OPTIONS https://ontvanger.example/hook\nWebHook-Request-Origin: eventemitter.example.com\nWebHook-Request-Callback: https://eventemitter.example.com/confirm?id=12345&key=geheim-7f3a9c\n→ 202\nAllow: POST, OPTIONS",
    ),
    applies: Applies::Validation,
    ..ACCEPTANCE
};
