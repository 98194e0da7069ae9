use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-SYNTAX-1",
    en: Texts {
        title: "Not well-formed JSON in UTF-8",
        explanation: "An event in the JSON format is well-formed JSON (RFC 8259) in UTF-8: nothing follows the value, no byte order mark stands before it, and commas at the end, comments and single quotes do not occur.",
        why: "No receiver can read it, and the event is lost or ends up in a dead letter.",
        fix: "Let a JSON library write the text instead of building it by hand. Save a file as UTF-8 without BOM.",
    },
    nl: Texts {
        title: "Geen welgevormde JSON in UTF-8",
        explanation: "Een gebeurtenis in het JSON-formaat is welgevormde JSON (RFC 8259) in UTF-8: er volgt niets na de waarde, er staat geen byte order mark (BOM) voor, en komma’s aan het einde, commentaar en enkele aanhalingstekens komen niet voor.",
        why: "Geen ontvanger kan het lezen. De gebeurtenis gaat verloren of komt terecht bij de onbestelbare berichten.",
        fix: "Laat een JSON-bibliotheek de tekst schrijven in plaats van die zelf samen te stellen. Sla een bestand op als UTF-8 zonder BOM.",
    },
    good: Example::Event(""),
    bad: Example::Text(b"{\"specversion\":\"1.0\",}"),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Message(check),
};

/// U+FEFF in UTF-8, which nobody sees.
const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

fn check(reading: &Reading<'_>, found: &mut Found<'_>) {
    for unreadable in &reading.unreadable {
        if let Unreadable::Json(fault) = unreadable {
            let rest = reading.capture.body().get(fault.at..).unwrap_or_default();
            if rest.starts_with(BYTE_ORDER_MARK) {
                found.body_as(fault.at, "byte order mark (U+FEFF)");
            } else {
                found.body(fault.at);
            }
        }
    }
}
