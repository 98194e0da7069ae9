use crate::grammar::integer;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "JSON-TYPE-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "JSON event format 1.0.1/1.0.2, 2.2 Type System Mapping",
    title: Text {
        en: "Number with a fraction or an exponent",
        nl: "Getal met een decimaal deel of een exponent",
    },
    explanation: Text {
        en: "An attribute of type Integer is a JSON number of digits with at most a minus sign before them: no fraction and no exponent.",
        nl: "Een attribuut van het type Integer is een JSON-getal van cijfers met hooguit een minteken ervoor: geen decimalen en geen exponent.",
    },
    why: Text {
        en: "Attributes have no fractional type, so `1.5` cannot be carried on; `5.0` and `5` would be two spellings of one value.",
        nl: "Attributen kennen geen gebroken getallen, zodat `1.5` niet is door te geven. `5.0` en `5` zouden twee schrijfwijzen van één waarde zijn.",
    },
    fix: Text {
        en: "Write whole numbers as `5`, and other numbers as text or in the data.",
        nl: "Schrijf gehele getallen als `5` en andere getallen als tekst of in de data.",
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
