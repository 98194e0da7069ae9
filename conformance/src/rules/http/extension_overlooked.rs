use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BIN-3",
    en: Texts {
        title: "Header of an unknown extension not read as an attribute",
        explanation: "Every attribute but `datacontenttype` has a header of its own, extensions included. Each header that begins with `ce-` is an attribute, whether the reader knows it or not.",
        why: "An attribute that a reader skips is missing from all that it forwards. The next receiver can no longer filter or trace by it.",
        fix: "Take every `ce-` header, instead of a fixed list of names.",
    },
    nl: Texts {
        title: "Header van een onbekende extensie niet gelezen als attribuut",
        explanation: "Elk attribuut behalve `datacontenttype` heeft een eigen header, ook extensies. Elke header die met `ce-` begint is een attribuut, of de ontvanger het nu kent of niet.",
        why: "Een attribuut dat een ontvanger overslaat, ontbreekt in alles wat hij doorgeeft. De volgende ontvanger kan er niet meer op filteren of mee traceren.",
        fix: "Neem elke `ce-`header over in plaats van een vaste lijst met namen.",
    },
    good: Example::Message(Protocol::Http, "ce-nlbrpnationaliteit: 0083"),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
