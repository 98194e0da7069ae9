use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-6",
    en: Texts {
        title: "Half a surrogate pair in an attribute",
        explanation: "The text of an attribute holds no half of a surrogate pair. JSON can write a character beyond U+FFFF as two escapes, such as `\\uD83D\\uDE00`; one half without the other is no text, neither in a value nor in a name.",
        why: "Half a pair has no form in UTF-8. Receivers refuse the event, or put another character in its place, and then the `id` or `source` is no longer the same.",
        fix: "Cut text off between characters and not between their halves, and let a JSON library write the escapes.",
    },
    nl: Texts {
        title: "Half surrogaatpaar in een attribuut",
        explanation: "De tekst van een attribuut bevat geen half surrogaatpaar. JSON kan een teken na U+FFFF schrijven als twee escapes, zoals `\\uD83D\\uDE00`; de ene helft zonder de andere is geen tekst, niet in een waarde en niet in een naam.",
        why: "Een half paar bestaat niet in UTF-8. Ontvangers weigeren de gebeurtenis, of zetten er een ander teken voor in de plaats. Het `id` of de `source` is dan niet meer dezelfde.",
        fix: "Kap tekst af tussen tekens en niet tussen twee helften van een teken, en laat een JSON-bibliotheek de escapes schrijven.",
    },
    good: Example::Event(r#""subject":"\uD83D\uDE00""#),
    bad: Example::Event(r#""subject":"\uD83D""#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    for member in &event.members {
        if member.name.is_broken {
            found.member_name(member);
        }
    }
    found.all(
        event
            .set()
            .filter(|attribute| matches!(attribute.value, Value::Broken(_))),
    );
}
