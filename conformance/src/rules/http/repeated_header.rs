use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BIN-8",
    en: Texts {
        title: "The same `ce-` header or `Content-Type` twice",
        explanation: "A header that carries an attribute occurs once in a message, whatever the case of its name. The same holds for `Content-Type`.",
        why: "One reader takes the first value, another the last, and a third joins both with a comma. Each of them sees another event.",
        fix: "Set each header once; replace a header instead of adding it again.",
    },
    nl: Texts {
        title: "Dezelfde `ce-`header of `Content-Type` tweemaal",
        explanation: "Een header die een attribuut draagt, komt één keer voor in een bericht, ook als hoofdletters in de naam verschillen. Hetzelfde geldt voor `Content-Type`.",
        why: "De ene ontvanger neemt de eerste waarde, de andere de laatste, en een derde voegt beide samen met een komma. Elk van hen ziet een andere gebeurtenis.",
        fix: "Zet elke header één keer; vervang een bestaande header in plaats van die nogmaals toe te voegen.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: a"),
    bad: Example::Message(Protocol::Http, "ce-subject: a\nCE-Subject: b"),
    decode: Decode::Refuse,
    applies: Applies::On(Protocol::Http),
    check: crate::rules::kafka::repeated_header::RULE.check,
};
