use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-DEC-3",
    en: Texts {
        title: "Percent codes in lower case refused",
        explanation: "A reader accepts hexadecimal digits in lower case: `%c3%a9` is `é` like `%C3%A9`.",
        why: "Capitals are a recommendation to senders, and many libraries write lower case. A reader that insists on capitals refuses valid events.",
        fix: "Decode both forms.",
    },
    nl: Texts {
        title: "Procentcodes in kleine letters geweigerd",
        explanation: "Een ontvanger accepteert hexadecimale cijfers in kleine letters: `%c3%a9` is `é`, net als `%C3%A9`.",
        why: "Hoofdletters zijn een aanbeveling aan afzenders, en veel bibliotheken schrijven kleine letters. Een ontvanger die hoofdletters eist, weigert geldige gebeurtenissen.",
        fix: "Decodeer beide schrijfwijzen.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: %e2%82%ac"),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
