use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BIN-7",
    en: Texts {
        title: "Body not handed on byte for byte",
        explanation: "In binary mode the body is the data: the same bytes, whatever the content type.",
        why: "A reader that trims, decodes or reformats the body changes the data. Bytes that are no text are destroyed, and a signature over the data no longer holds.",
        fix: "Hand on the bytes of the body as they came.",
    },
    nl: Texts {
        title: "Body niet byte voor byte doorgegeven",
        explanation: "In binaire modus is de body de data: dezelfde bytes, ongeacht het content type.",
        why: "Een ontvanger die de body inkort, decodeert of opnieuw opmaakt, verandert de data. Bytes die geen tekst zijn gaan verloren, en een handtekening over de data klopt niet meer.",
        fix: "Geef de bytes van de body door zoals ze zijn ontvangen.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/octet-stream\n\n\\x00\\xFF ",
    ),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
