use crate::grammar::integer::{is_canonical, parse};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-3",
    en: Texts {
        title: "Number that does not fit in 32 bits",
        explanation: "A number in an attribute lies between -2147483648 and 2147483647.",
        why: "Receivers keep an Integer in 32 bits. A larger number would become another one there, so they refuse the event.",
        fix: "Send large numbers as text, or in the data.",
    },
    nl: Texts {
        title: "Getal dat niet in 32 bits past",
        explanation: "Een getal in een attribuut ligt tussen -2147483648 en 2147483647.",
        why: "Ontvangers bewaren een geheel getal in 32 bits. Een groter getal zou daar een ander getal worden, en daarom weigeren zij de gebeurtenis.",
        fix: "Verstuur grote getallen als tekst, of in de data.",
    },
    good: Example::Event(r#""ext":-2147483648"#),
    bad: Example::Event(r#""ext":2147483648"#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let is_beyond = |value: &Value<'_>| matches!(value, Value::Number(raw) if is_canonical(raw) && parse(raw).is_none());
    found.all(event.set().filter(|attribute| is_beyond(&attribute.value)));
}
