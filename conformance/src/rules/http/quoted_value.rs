use crate::grammar::percent;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-ENC-3",
    level: Levels::everywhere(Level::ShouldNot),
    status: Status::Released,
    clause: "HTTP binding 1.0.2, 3.1.3.2",
    title: Text {
        en: "Quotes around a header value",
        nl: "Aanhalingstekens om een headerwaarde",
    },
    explanation: Text {
        en: "A percent-encoded value is not encoded further. Double quotes around it come from an older text of the binding.",
        nl: "Een waarde met procentcodes wordt niet nog verder gecodeerd. Dubbele aanhalingstekens eromheen komen uit een oudere tekst van de specificatie voor HTTP.",
    },
    why: Text {
        en: "A receiver that does not know the older text takes the quotes for a part of the value, and filters on that value fail.",
        nl: "Een ontvanger die de oudere tekst niet kent, ziet de aanhalingstekens aan voor een deel van de waarde. Filters op die waarde werken dan niet.",
    },
    fix: Text {
        en: "Send the value without quotes, and write a space as `%20`.",
        nl: "Verstuur de waarde zonder aanhalingstekens en schrijf een spatie als `%20`.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: a%20b"),
    bad: Example::Message(Protocol::Http, r#"ce-subject: "a%20b""#),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(|reading, found| {
        for (header, value) in reading.coded_headers() {
            if percent::decode(value).is_quoted {
                found.header(header);
            }
        }
    }),
};
