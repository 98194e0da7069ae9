use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-DEC-5",
    en: Texts {
        title: "Percent-encoded bytes that are not UTF-8",
        explanation: "The bytes that percent-decoding yields are valid UTF-8, and so are bytes that were sent as they are. Overlong forms and encoded surrogates are not.",
        why: "A reader has to refuse the value. Overlong forms are used to slip characters past a filter.",
        fix: "Encode each character as its UTF-8 bytes, and each byte as `%XX`. A receiver refuses what is not UTF-8.",
    },
    nl: Texts {
        title: "Procentcodes die geen UTF-8 opleveren",
        explanation: "De bytes die na het omzetten van procentcodes ontstaan, zijn geldige UTF-8, net als bytes die onbewerkt zijn verstuurd. Te lange vormen en gecodeerde surrogaten zijn dat niet.",
        why: "Een ontvanger moet de waarde weigeren. Te lange vormen worden gebruikt om tekens langs een filter te smokkelen.",
        fix: "Codeer elk teken als de bytes van UTF-8 en elke byte als `%XX`. Een ontvanger weigert wat geen UTF-8 is.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: %C3%A9"),
    bad: Example::Message(Protocol::Http, "ce-subject: %C0%A0"),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Event(|event, found| {
        let is_broken = |value: &Value<'_>| matches!(value, Value::Broken(_));
        found.all(event.set().filter(|attribute| is_broken(&attribute.value)));
    }),
};
