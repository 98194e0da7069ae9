use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BIN-1",
    en: Texts {
        title: "`Content-Type` and `datacontenttype` kept apart",
        explanation: "In binary mode `Content-Type` is the attribute `datacontenttype`: the whole value with its parameters, and never percent-coded.",
        why: "A reader that drops the parameters loses the charset, and then reads the text of the data wrongly.",
        fix: "Copy `Content-Type` into `datacontenttype` as it stands, and back when sending.",
    },
    nl: Texts {
        title: "`Content-Type` en `datacontenttype` behandeld als twee waarden",
        explanation: "In binaire modus is `Content-Type` het attribuut `datacontenttype`: de hele waarde met parameters en altijd zonder procentcodes.",
        why: "Een ontvanger die de parameters weglaat, verliest de tekenset en leest de tekst van de data daarna verkeerd.",
        fix: "Neem `Content-Type` ongewijzigd over in `datacontenttype`, en omgekeerd bij het versturen.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: text/plain; charset=utf-8; title=%41\n\nSúdwest",
    ),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
