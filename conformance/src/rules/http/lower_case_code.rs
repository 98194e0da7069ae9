use crate::grammar::percent;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-ENC-4",
    en: Texts {
        title: "Percent code in lower case",
        explanation: "Percent codes are written with capitals: `%C3%A9` rather than `%c3%a9`.",
        why: "Two spellings make two headers of one value. Whoever compares headers without decoding them sees a difference that is not there.",
        fix: "Write the hexadecimal digits `A` to `F` as capitals.",
    },
    nl: Texts {
        title: "Procentcode in kleine letters",
        explanation: "Procentcodes worden met hoofdletters geschreven: `%C3%A9` in plaats van `%c3%a9`.",
        why: "Twee schrijfwijzen maken van één waarde twee verschillende headers. Wie headers vergelijkt zonder ze te decoderen, ziet een verschil dat er niet is.",
        fix: "Schrijf de hexadecimale cijfers `A` tot en met `F` als hoofdletters.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: Caf%C3%A9"),
    bad: Example::Message(Protocol::Http, "ce-subject: Caf%c3%a9"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(|reading, found| {
        found.coded(reading, |value| percent::decode(value).has_lower_case);
    }),
};
