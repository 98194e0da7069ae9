use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-BIN-3",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.1/1.0.2, 3.1.3",
    title: Text {
        en: "Header of an unknown extension not read as an attribute",
        nl: "Header van een onbekende extensie niet gelezen als attribuut",
    },
    explanation: Text {
        en: "Every attribute but `datacontenttype` has a header of its own, extensions included. Each header that begins with `ce-` is an attribute, whether the reader knows it or not.",
        nl: "Elk attribuut behalve `datacontenttype` heeft een eigen header, ook extensies. Elke header die met `ce-` begint is een attribuut, of de ontvanger het nu kent of niet.",
    },
    why: Text {
        en: "An attribute that a reader skips is missing from all that it forwards. The next receiver can no longer filter or trace by it.",
        nl: "Een attribuut dat een ontvanger overslaat, ontbreekt in alles wat hij doorgeeft. De volgende ontvanger kan er niet meer op filteren of mee traceren.",
    },
    fix: Text {
        en: "Take every `ce-` header, instead of a fixed list of names.",
        nl: "Neem elke `ce-`header over in plaats van een vaste lijst met namen.",
    },
    good: Example::Message(Protocol::Http, "ce-nlbrpnationaliteit: 0083"),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
