use crate::grammar::percent;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-ENC-4",
    level: Levels::everywhere(Level::Should),
    status: Status::Released,
    clause: "HTTP binding 1.0.2, 3.1.3.2",
    title: Text {
        en: "Percent code in lower case",
        nl: "Procentcode in kleine letters",
    },
    explanation: Text {
        en: "Percent codes are written with capitals: `%C3%A9` rather than `%c3%a9`.",
        nl: "Procentcodes worden met hoofdletters geschreven: `%C3%A9` in plaats van `%c3%a9`.",
    },
    why: Text {
        en: "Two spellings make two headers of one value. Whoever compares headers without decoding them sees a difference that is not there.",
        nl: "Twee schrijfwijzen maken van één waarde twee verschillende headers. Wie headers vergelijkt zonder ze te decoderen, ziet een verschil dat er niet is.",
    },
    fix: Text {
        en: "Write the hexadecimal digits `A` to `F` as capitals.",
        nl: "Schrijf de hexadecimale cijfers `A` tot en met `F` als hoofdletters.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: Caf%C3%A9"),
    bad: Example::Message(Protocol::Http, "ce-subject: Caf%c3%a9"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(|reading, found| {
        for (header, value) in reading.coded_headers() {
            if percent::decode(value).has_lower_case {
                found.header(header);
            }
        }
    }),
};
