use crate::grammar::name::CORE;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-ENV-3",
    en: Texts {
        title: "Attribute of the specification spelled differently",
        explanation: "Members are named exactly like the attributes: `specversion`, not `specVersion` or `spec_version`. Judged where the attribute itself is missing.",
        why: "To a reader this is an unknown extension with a bad name, and the attribute itself is missing. The event is refused.",
        fix: "Write the name in lower case, without separators: `datacontenttype`.",
    },
    nl: Texts {
        title: "Attribuut uit de specificatie anders gespeld",
        explanation: "Velden heten precies zoals de attributen: `specversion`, en niet `specVersion` of `spec_version`. Beoordeeld als het attribuut zelf ontbreekt.",
        why: "Voor een ontvanger is dit een onbekende extensie met een foute naam, en het attribuut zelf ontbreekt. De gebeurtenis wordt geweigerd.",
        fix: "Schrijf de naam in kleine letters, zonder scheidingstekens: `datacontenttype`.",
    },
    good: Example::Event(r#""datacontenttype":"application/json","data":{"a":1}"#),
    bad: Example::Event(r#""dataContentType":"application/json","data":{"a":1}"#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    for attribute in event.set().filter(|attribute| !attribute.is_core()) {
        let name = attribute.name.replace(['_', '-', '.', ' '], "");
        let mut core = CORE.iter();
        let meant = core.find(|core| name.eq_ignore_ascii_case(core));
        // Beside the attribute itself it is another one with a bad name, which is CE-NAME-1's.
        if meant.is_some_and(|core| event.attribute(core).is_none()) {
            found.name_of(attribute);
        }
    }
}
