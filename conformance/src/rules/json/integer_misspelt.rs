use crate::grammar::integer;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-TYPE-2",
    en: Texts {
        title: "Number with a fraction or an exponent",
        explanation: "An attribute of type Integer is a JSON number of digits with at most a minus sign before them: no fraction and no exponent.",
        why: "Attributes have no fractional type, so `1.5` cannot be carried on; `5.0` and `5` would be two spellings of one value.",
        fix: "Write whole numbers as `5`, and other numbers as text or in the data.",
    },
    nl: Texts {
        title: "Getal met een decimaal deel of een exponent",
        explanation: "Een attribuut van het type Integer is een JSON-getal van cijfers met hooguit een minteken ervoor: geen decimalen en geen exponent.",
        why: "Attributen kennen geen gebroken getallen, zodat `1.5` niet is door te geven. `5.0` en `5` zouden twee schrijfwijzen van één waarde zijn.",
        fix: "Schrijf gehele getallen als `5` en andere getallen als tekst of in de data.",
    },
    good: Example::Event(r#""ext":-5"#),
    bad: Example::Event(r#""ext":5.0"#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    // `-0` is the number zero; JSON knows no other number that is not canonical.
    let is_misspelt = |value: &Value<'_>| matches!(value, Value::Number(raw) if !integer::is_canonical(raw) && *raw != "-0");
    found.all(
        event
            .set()
            .filter(|attribute| is_misspelt(&attribute.value)),
    );
}
