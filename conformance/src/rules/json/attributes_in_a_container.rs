use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-ENV-4",
    en: Texts {
        title: "Attributes in a container object",
        explanation: "Extension attributes are members of the event itself, next to `id` and `source`. There is no object `extensions`, `attributes` or `context` around them.",
        why: "An object is no value for an attribute, so receivers refuse the event with all that is in the container.",
        fix: "Move the members of the container to the top level of the event.",
    },
    nl: Texts {
        title: "Attributen in een apart object",
        explanation: "Extensieattributen zijn velden van de gebeurtenis zelf, naast `id` en `source`. Er staat geen object `extensions`, `attributes` of `context` omheen.",
        why: "Een object is geen waarde voor een attribuut. Ontvangers weigeren de gebeurtenis, met alles wat in het object staat.",
        fix: "Verplaats de velden uit het object naar het hoogste niveau van de gebeurtenis.",
    },
    good: Example::Event(r#""nlbrpnationaliteit":"0083""#),
    bad: Example::Event(r#""extensions":{"nlbrpnationaliteit":"0083"}"#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(check),
};

/// What versions before 1.0, and libraries, call such an object.
const CONTAINERS: [&str; 3] = ["extensions", "attributes", "context"];

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let is_object = |value: &Value<'_>| matches!(value, Value::Nested(raw) if raw.starts_with('{'));
    found.all(
        event.set().filter(|attribute| {
            is_object(&attribute.value) && CONTAINERS.contains(&&*attribute.name)
        }),
    );
}
