use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-BIN-8",
    level: Levels::everywhere(Level::Must),
    status: Status::Interpretation,
    clause: "HTTP binding 1.0.1/1.0.2, 3.1.3 ('distinct' header)",
    title: Text {
        en: "The same `ce-` header twice",
        nl: "Dezelfde `ce-`header tweemaal",
    },
    explanation: Text {
        en: "A header that carries an attribute occurs once in a message, whatever the case of its name. The same holds for `Content-Type`.",
        nl: "Een header die een attribuut draagt, komt één keer voor in een bericht, ook als hoofdletters in de naam verschillen. Hetzelfde geldt voor `Content-Type`.",
    },
    why: Text {
        en: "One reader takes the first value, another the last, and a third joins both with a comma. Each of them sees another event.",
        nl: "De ene ontvanger neemt de eerste waarde, de andere de laatste, en een derde voegt beide samen met een komma. Elk van hen ziet een andere gebeurtenis.",
    },
    fix: Text {
        en: "Set each header once; replace a header instead of adding it again.",
        nl: "Zet elke header één keer; vervang een bestaande header in plaats van die nogmaals toe te voegen.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: a"),
    bad: Example::Message(Protocol::Http, "ce-subject: a\nCE-Subject: b"),
    decode: Decode::Refuse,
    applies: Applies::On(Protocol::Http),
    check: crate::rules::kafka::repeated_header::RULE.check,
};
