use crate::grammar::name::REQUIRED;
use crate::reading::looks_like_an_event;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-BIN-3",
    en: Texts {
        title: "All attributes together in one header",
        explanation: "Every attribute but `datacontenttype` has a header of its own, extensions included. Reported where one header holds a JSON object with all required attributes, and they are not there as headers.",
        why: "No consumer looks into that header: it finds no attributes, and the record is no CloudEvent.",
        fix: "Write each attribute as a header of its own: `ce_id`, `ce_source`, `ce_type` and `ce_specversion`.",
    },
    nl: Texts {
        title: "Alle attributen samen in één header",
        explanation: "Elk attribuut behalve `datacontenttype` heeft een eigen header, ook extensies. Gemeld als één header een JSON-object met alle verplichte attributen bevat, en die er niet als headers zijn.",
        why: "Afnemers kijken niet in die header. Zij vinden geen attributen, en het record is voor hen geen CloudEvent.",
        fix: "Schrijf elk attribuut als eigen header: `ce_id`, `ce_source`, `ce_type` en `ce_specversion`.",
    },
    good: Example::Message(Protocol::Kafka, "ce_nlbrpnationaliteit: 0083"),
    bad: Example::Message(
        Protocol::Kafka,
        "=\nce_attributes: {\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    decode: Decode::Accept,
    applies: Applies::On(Protocol::Kafka),
    check: Check::Message(check),
};

fn check(reading: &Reading<'_>, found: &mut Found<'_>) {
    if !matches!(reading.mode, Mode::Binary | Mode::NotAnEvent) {
        return;
    }
    let is_there = |name: &&str| reading.attribute_headers().any(|(own, _)| own == *name);
    if REQUIRED.iter().all(is_there) {
        return;
    }
    for header in &reading.capture.headers {
        if looks_like_an_event(header.value.as_deref().unwrap_or_default()) {
            found.header(header);
        }
    }
}
