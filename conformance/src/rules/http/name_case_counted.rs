use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BIN-6",
    en: Texts {
        title: "Case of header names taken into account",
        explanation: "Header names are matched without regard to case and yield attribute names in lower case: `CE-Subject` carries `subject`.",
        why: "Proxies and libraries change the case of names, and HTTP/2 sends lower case only. A reader that minds the case loses attributes on some routes.",
        fix: "Compare header names without regard to case, and put the name of the attribute in lower case.",
    },
    nl: Texts {
        title: "Hoofdletters in headernamen meegewogen",
        explanation: "Headernamen zijn niet hoofdlettergevoelig en leveren attribuutnamen in kleine letters op: `CE-Subject` bevat `subject`.",
        why: "Proxy’s en bibliotheken veranderen hoofdletters in namen, en HTTP/2 verstuurt alleen kleine letters. Een ontvanger die erop let, raakt op sommige routes attributen kwijt.",
        fix: "Vergelijk headernamen zonder op hoofdletters te letten en zet de naam van het attribuut in kleine letters.",
    },
    good: Example::Message(
        Protocol::Http,
        "CE-SpecVersion: 1.0\nCe-Id: 1\ncE-nlBrpNationaliteit: 0083",
    ),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
