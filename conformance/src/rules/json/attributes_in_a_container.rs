use crate::json;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-ENV-4",
    en: Texts {
        title: "Attributes in a container object",
        explanation: "Extension attributes are members of the event itself, next to `id` and `source`. There is no object around them, such as `extensions`, `attributes`, `context`, or `payload` with the whole event.",
        why: "An object is no value for an attribute, so receivers refuse the event with all that is in the container.",
        fix: "Move the members of the container to the top level of the event.",
    },
    nl: Texts {
        title: "Attributen in een apart object",
        explanation: "Extensieattributen zijn velden van de gebeurtenis zelf, naast `id` en `source`. Er staat geen object omheen, zoals `extensions`, `attributes`, `context` of `payload` met de hele gebeurtenis.",
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
    found.all(event.set().filter(|attribute| {
        let Value::Nested(raw) = attribute.value else {
            return false;
        };
        raw.starts_with('{') && CONTAINERS.contains(&&*attribute.name) || is_event(raw)
    }));
}

/// Whether it is an object that has what tells an event.
fn is_event(raw: &str) -> bool {
    let members = json::Value { raw, at: 0 }.members().unwrap_or_default();
    let has = |name: &str| members.iter().any(|member| member.name.text == name);
    has("specversion") && has("id")
}
