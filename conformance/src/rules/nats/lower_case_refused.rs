use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-DEC-3",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.3.2",
    title: Text {
        en: "Percent-encoding with lower-case digits refused",
        nl: "Procentcodes met kleine letters geweigerd",
    },
    explanation: Text {
        en: "A reader accepts lower-case hexadecimal digits in percent-encoding.",
        nl: "Een ontvanger accepteert procentcodes met kleine letters.",
    },
    why: Text {
        en: "Many libraries write them so. A reader that leaves `%c3%a9` as it stands gives its users a garbled name.",
        nl: "Veel bibliotheken schrijven ze zo. Een ontvanger die `%c3%a9` laat staan, geeft een verminkte naam door.",
    },
    fix: Text {
        en: "Decode `%c3%a9` like `%C3%A9`.",
        nl: "Decodeer `%c3%a9` net als `%C3%A9`.",
    },
    good: Example::Message(Protocol::Nats, "ce-subject: caf%c3%a9"),
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    ..ACCEPTANCE
};
