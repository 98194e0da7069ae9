use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-DEC-3",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.2, 3.1.3.2",
    title: Text {
        en: "Percent codes in lower case refused",
        nl: "Procentcodes in kleine letters geweigerd",
    },
    explanation: Text {
        en: "A reader accepts hexadecimal digits in lower case: `%c3%a9` is `é` like `%C3%A9`.",
        nl: "Een ontvanger accepteert hexadecimale cijfers in kleine letters: `%c3%a9` is `é`, net als `%C3%A9`.",
    },
    why: Text {
        en: "Capitals are a recommendation to senders, and many libraries write lower case. A reader that insists on capitals refuses valid events.",
        nl: "Hoofdletters zijn een aanbeveling aan afzenders, en veel bibliotheken schrijven kleine letters. Een ontvanger die hoofdletters eist, weigert geldige gebeurtenissen.",
    },
    fix: Text {
        en: "Decode both forms.",
        nl: "Decodeer beide schrijfwijzen.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: %e2%82%ac"),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
