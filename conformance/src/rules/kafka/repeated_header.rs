use crate::reading::attribute_name;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-BIN-7",
    en: Texts {
        title: "The same attribute header twice",
        explanation: "A header that carries an attribute occurs once in a record. Kafka keeps both, and they may differ.",
        why: "One reader takes the first value and another the last, so two readers see two different events.",
        fix: "Set each header once; replace a header instead of adding it again.",
    },
    nl: Texts {
        title: "Dezelfde attribuutheader tweemaal",
        explanation: "Een header die een attribuut draagt, komt één keer voor in een record. Kafka bewaart ze allebei, en ze kunnen verschillen.",
        why: "De ene ontvanger neemt de eerste waarde en de andere de laatste. Zo zien twee ontvangers twee verschillende gebeurtenissen.",
        fix: "Zet elke header één keer; vervang een bestaande header in plaats van die nogmaals toe te voegen.",
    },
    good: Example::Message(Protocol::Kafka, "ce_subject: a"),
    bad: Example::Message(Protocol::Kafka, "ce_subject: a\nce_subject: b"),
    decode: Decode::Refuse,
    applies: Applies::On(Protocol::Kafka),
    check: Check::Message(|reading, found| {
        for header in reading.repeated_headers() {
            found.about(about(reading, header)).header(header);
        }
    }),
};

/// In binary mode the content type is an attribute too, but for NATS.
fn about(reading: &Reading<'_>, header: &Header) -> About {
    let protocol = reading.capture.protocol;
    match attribute_name(protocol, &header.name) {
        _ if reading.mode != Mode::Binary => About::Other,
        Some(name) => About::attribute(&name),
        None if protocol == Protocol::Nats => About::Other,
        None if protocol.is_same_name(&header.name, "content-type") => About::Core,
        None => About::Other,
    }
}
