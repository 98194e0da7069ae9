use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-DEC-3",
    en: Texts {
        title: "Percent-encoding with lower-case digits refused",
        explanation: "A reader accepts lower-case hexadecimal digits in percent-encoding.",
        why: "Many libraries write them so. A reader that leaves `%c3%a9` as it stands gives its users a garbled name.",
        fix: "Decode `%c3%a9` like `%C3%A9`.",
    },
    nl: Texts {
        title: "Procentcodes met kleine letters geweigerd",
        explanation: "Een ontvanger accepteert procentcodes met kleine letters.",
        why: "Veel bibliotheken schrijven ze zo. Een ontvanger die `%c3%a9` laat staan, geeft een verminkte naam door.",
        fix: "Decodeer `%c3%a9` net als `%C3%A9`.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: caf%c3%a9"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
