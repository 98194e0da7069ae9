use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-BIN-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.1/1.0.2, 3.1.1",
    title: Text {
        en: "`Content-Type` and `datacontenttype` kept apart",
        nl: "`Content-Type` en `datacontenttype` behandeld als twee waarden",
    },
    explanation: Text {
        en: "In binary mode `Content-Type` is the attribute `datacontenttype`: the whole value with its parameters, and never percent-coded.",
        nl: "In binaire modus is `Content-Type` het attribuut `datacontenttype`: de hele waarde met parameters en altijd zonder procentcodes.",
    },
    why: Text {
        en: "A reader that drops the parameters loses the charset, and then reads the text of the data wrongly.",
        nl: "Een ontvanger die de parameters weglaat, verliest de tekenset en leest de tekst van de data daarna verkeerd.",
    },
    fix: Text {
        en: "Copy `Content-Type` into `datacontenttype` as it stands, and back when sending.",
        nl: "Neem `Content-Type` ongewijzigd over in `datacontenttype`, en omgekeerd bij het versturen.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: text/plain; charset=utf-8; title=%41\n\nSúdwest",
    ),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
