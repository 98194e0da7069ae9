use crate::grammar::percent;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-ENC-3",
    en: Texts {
        title: "Quotes around a header value",
        explanation: "A percent-encoded value is not encoded further. Double quotes around it come from an older text of the specification.",
        why: "A receiver that does not know the older text takes the quotes for a part of the value, and filters on that value fail.",
        fix: "Send the value without quotes, and write a space as `%20`.",
    },
    nl: Texts {
        title: "Aanhalingstekens om een headerwaarde",
        explanation: "Een waarde met procentcodes wordt niet nog verder gecodeerd. Dubbele aanhalingstekens eromheen komen uit een oudere tekst van de specificatie.",
        why: "Een ontvanger die de oudere tekst niet kent, ziet de aanhalingstekens aan voor een deel van de waarde. Filters op die waarde werken dan niet.",
        fix: "Verstuur de waarde zonder aanhalingstekens en schrijf een spatie als `%20`.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: a%20b"),
    bad: Example::Message(Protocol::Http, r#"ce-subject: "a%20b""#),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(|reading, found| {
        found.coded(reading, |value| percent::decode(value).is_quoted);
    }),
};
