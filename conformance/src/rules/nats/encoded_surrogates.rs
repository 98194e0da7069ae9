use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-ENC-5",
    en: Texts {
        title: "Character encoded as two surrogates",
        explanation: "A character outside the basic plane, such as an emoji, is encoded as its four UTF-8 bytes, never as two surrogates of three bytes each.",
        why: "Encoded surrogates are not UTF-8, so readers refuse the message. Senders in languages with 16-bit text produce them unnoticed.",
        fix: "Turn the text into UTF-8 first and encode its bytes: 😀 becomes `%F0%9F%98%80`.",
    },
    nl: Texts {
        title: "Teken gecodeerd als twee surrogaten",
        explanation: "Een teken buiten het basisvlak, zoals een emoji, wordt gecodeerd als zijn vier bytes in UTF-8 en nooit als twee surrogaten van elk drie bytes.",
        why: "Gecodeerde surrogaten zijn geen UTF-8. Ontvangers weigeren het bericht daarom. Afzenders in talen met 16-bits tekst maken ze ongemerkt aan.",
        fix: "Zet de tekst eerst om in UTF-8 en codeer de bytes daarvan: 😀 wordt `%F0%9F%98%80`.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: %F0%9F%98%80"),
    bad: Example::Message(Protocol::Nats, "ce-subject: %ED%A0%BD%ED%B8%80"),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::encoded_surrogates::RULE.check,
};
