use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VREQ-3",
    en: Texts {
        title: "Handshake refused for its callback",
        explanation: "A sender may put an HTTPS URL in `WebHook-Request-Callback`, at which the target can agree later.",
        why: "Where a person has to decide, an answer within the request is not possible; the callback is the only way to agree.",
        fix: "Ignore the header if you decide at once, and never refuse a handshake because of it.",
    },
    nl: Texts {
        title: "Validatie geweigerd vanwege de callback",
        explanation: "Een afzender mag in `WebHook-Request-Callback` een HTTPS-URL opgeven waarop de ontvanger later kan instemmen.",
        why: "Als een medewerker moet beslissen, kan het antwoord niet direct komen. De callback is dan de enige manier om in te stemmen.",
        fix: "Negeer de header als u direct beslist, en weiger nooit een validatie om deze header.",
    },
    good: super::LATER,
    applies: Applies::Validation,
    ..ACCEPTANCE
};
