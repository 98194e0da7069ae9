use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-DEC-5",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.3.2",
    title: Text {
        en: "Percent-encoded bytes in a NATS header that are not UTF-8",
        nl: "Procentcodes in een NATS-header die geen UTF-8 opleveren",
    },
    explanation: Text {
        en: "The bytes that percent-decoding yields are valid UTF-8. Overlong forms and encoded surrogates are not, and a reader refuses them.",
        nl: "De bytes die na het omzetten van procentcodes ontstaan, zijn geldige UTF-8. Te lange vormen en gecodeerde surrogaten zijn dat niet; een ontvanger weigert ze.",
    },
    why: Text {
        en: "`%C0%A0` reads as a space to a careless decoder and as nothing to a filter before it, so it can carry what the filter should stop.",
        nl: "Een slordige decoder leest `%C0%A0` als spatie en een filter ervoor niet. Zo komt langs wat het filter moest tegenhouden.",
    },
    fix: Text {
        en: "Encode each character as its UTF-8 bytes, and each byte as `%XX`.",
        nl: "Codeer elk teken als de bytes van UTF-8 en elke byte als `%XX`.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: %C3%A9"),
    bad: Example::Message(Protocol::Nats, "ce-subject: a%C0%A0b"),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::decoded_not_utf_8::RULE.check,
};
