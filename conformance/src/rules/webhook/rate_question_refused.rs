use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-VREQ-5",
    en: Texts {
        title: "Handshake refused for the rate that it asks",
        explanation: "A sender may say in `WebHook-Request-Rate` how many requests per minute it wants to send.",
        why: "A target that refuses the handshake for this header shuts out senders that announce their load, and lets in those that do not.",
        fix: "Answer with the rate you can take in `WebHook-Allowed-Rate`; it may be lower.",
    },
    nl: Texts {
        title: "Validatie geweigerd vanwege het gevraagde tempo",
        explanation: "Een afzender mag in `WebHook-Request-Rate` aangeven hoeveel verzoeken per minuut hij wil versturen.",
        why: "Een ontvanger die om deze header weigert, sluit afzenders uit die hun belasting netjes melden en laat anderen toe.",
        fix: "Antwoord in `WebHook-Allowed-Rate` met het tempo dat u aankunt; dat mag lager zijn.",
    },
    good: super::HANDSHAKE,
    applies: Applies::Validation,
    ..ACCEPTANCE
};
