use crate::grammar::text::is_noncharacter;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-5",
    en: Texts {
        title: "Unicode noncharacter in an attribute",
        explanation: "Text of an attribute holds no noncharacters: U+FDD0 to U+FDEF, and the last two code points of each plane, such as U+FFFE and U+FFFF.",
        why: "Unicode keeps these code points for use inside a program. XML cannot hold U+FFFE, for example, so the value gets lost where the event is passed on.",
        fix: "Leave the code point out. U+FFFE often means that text was read with its bytes in the wrong order; correct that first.",
    },
    nl: Texts {
        title: "Unicode-noncharacter in een attribuut",
        explanation: "De tekst van een attribuut bevat geen noncharacters (codepunten die nooit een teken zijn): U+FDD0 tot en met U+FDEF, en de laatste twee codepunten van elk vlak, zoals U+FFFE en U+FFFF.",
        why: "Unicode houdt deze codepunten vrij voor gebruik binnen een programma. XML kan U+FFFE bijvoorbeeld niet bevatten, zodat de waarde bij het doorgeven verloren gaat.",
        fix: "Laat het codepunt weg. U+FFFE wijst er vaak op dat tekst met een verkeerde bytevolgorde is gelezen. Herstel dat eerst.",
    },
    good: Example::Event(r#""subject":"\uFFFD""#),
    bad: Example::Event(r#""subject":"\uFFFE""#),
    decode: Decode::Refuse,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.set().filter(|attribute| {
            attribute
                .text()
                .is_some_and(|text| text.chars().any(is_noncharacter))
        }));
    }),
};
