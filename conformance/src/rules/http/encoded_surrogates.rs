use crate::grammar::percent;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-ENC-5",
    en: Texts {
        title: "Character encoded as two surrogates",
        explanation: "A character outside the basic plane, such as an emoji, is encoded as one character of four UTF-8 bytes, and never as two surrogates.",
        why: "Encoded surrogates are not UTF-8, so receivers refuse the event.",
        fix: "Encode the character rather than its UTF-16 units: 😀 is `%F0%9F%98%80`.",
    },
    nl: Texts {
        title: "Teken gecodeerd als twee surrogaten",
        explanation: "Een teken buiten het basisvlak, zoals een emoji, wordt gecodeerd als één teken van vier UTF-8-bytes en nooit als twee surrogaten.",
        why: "Gecodeerde surrogaten zijn geen UTF-8. Ontvangers weigeren de gebeurtenis daarom.",
        fix: "Codeer het teken en niet de UTF-16-eenheden ervan: 😀 is `%F0%9F%98%80`.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: %F0%9F%98%80"),
    bad: Example::Message(Protocol::Http, "ce-subject: %ED%A0%BD%ED%B8%80"),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(|reading, found| {
        // The first two bytes of a surrogate, which do not meet in UTF-8.
        let is_surrogate = |bytes: &[u8]| matches!(bytes, [0xED, 0xA0..=0xBF]);
        found.coded(reading, |value| {
            percent::decode(value).bytes.windows(2).any(is_surrogate)
        });
    }),
};
