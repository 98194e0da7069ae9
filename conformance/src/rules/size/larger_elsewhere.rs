use crate::json;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "SIZE-3",
    en: Texts {
        title: "Larger than 64 KB, as it is or in another encoding on its way",
        explanation: "Where events change protocol or format on their way, the limit of 64 KB (65,536 bytes) holds for the largest encoding. Judged here: data as Base64, which adds a third.",
        why: "Intermediaries have to forward up to 64 KB only. Beyond that an event may stop half-way.",
        fix: "Keep the data small, and refer to large data with `dataref`.",
    },
    nl: Texts {
        title: "Groter dan 64 KB, zoals verstuurd of in een andere codering onderweg",
        explanation: "Waar gebeurtenissen onderweg van protocol of formaat wisselen, geldt de grens van 64 KB (65.536 bytes) voor de grootste codering. Hier beoordeeld: data als Base64, waardoor een derde bij de omvang komt.",
        why: "Intermediairs (systemen die gebeurtenissen doorgeven) hoeven niet meer dan 64 KB door te geven. Een grotere gebeurtenis kan halverwege blijven steken.",
        fix: "Houd de data klein en verwijs met `dataref` naar grote data.",
    },
    good: Example::Event(r#""data_base64":"YWFw""#),
    bad: Example::Large(66_000),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(check),
};

/// What every intermediary forwards, in bytes on the wire.
const FORWARDED: usize = 65_536;

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let grows = event.body.map_or(0, |body| {
        let is_json = event
            .text("datacontenttype")
            .is_some_and(crate::grammar::media_type::is_json);
        if is_json && json::parse(body).is_ok() {
            0
        } else {
            body.len() / 3
        }
    });
    let bytes = event.bytes + grows;
    if bytes > FORWARDED {
        found.message(&format!("{bytes} bytes"));
    }
}
