use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-BIN-7",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.1/1.0.2, 3.1.2",
    title: Text {
        en: "Body not handed on byte for byte",
        nl: "Body niet byte voor byte doorgegeven",
    },
    explanation: Text {
        en: "In binary mode the body is the data: the same bytes, whatever the content type.",
        nl: "In binaire modus is de body de data: dezelfde bytes, ongeacht het content type.",
    },
    why: Text {
        en: "A reader that trims, decodes or reformats the body changes the data. Bytes that are no text are destroyed, and a signature over the data no longer holds.",
        nl: "Een ontvanger die de body inkort, decodeert of opnieuw opmaakt, verandert de data. Bytes die geen tekst zijn gaan verloren, en een handtekening over de data klopt niet meer.",
    },
    fix: Text {
        en: "Hand on the bytes of the body as they came.",
        nl: "Geef de bytes van de body door zoals ze zijn ontvangen.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/octet-stream\n\n\\x00\\xFF ",
    ),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
