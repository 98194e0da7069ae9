use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-5",
    en: Texts {
        title: "Percent-encoded bytes in a NATS header that are not UTF-8",
        explanation: "The bytes that percent-decoding yields are valid UTF-8. Overlong forms and encoded surrogates are not, and a reader refuses them.",
        why: "`%C0%A0` reads as a space to a careless decoder and as nothing to a filter before it, so it can carry what the filter should stop.",
        fix: "Encode each character as its UTF-8 bytes, and each byte as `%XX`.",
    },
    nl: Texts {
        title: "Procentcodes in een NATS-header die geen UTF-8 opleveren",
        explanation: "De bytes die na het omzetten van procentcodes ontstaan, zijn geldige UTF-8. Te lange vormen en gecodeerde surrogaten zijn dat niet; een ontvanger weigert ze.",
        why: "Een slordige decoder leest `%C0%A0` als spatie en een filter ervoor niet. Zo komt langs wat het filter moest tegenhouden.",
        fix: "Codeer elk teken als de bytes van UTF-8 en elke byte als `%XX`.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: %C3%A9"),
    bad: Example::Message(Protocol::Nats, "ce-subject: a%C0%A0b"),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::decoded_not_utf_8::RULE.check,
};
