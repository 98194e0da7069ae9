use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-STR-3",
    en: Texts {
        title: "Header copies refused, or read instead of the value",
        explanation: "A structured record may repeat attributes as `ce_` headers. A consumer accepts that and takes the event from the value, also where the two differ.",
        why: "A consumer that takes the headers sees another event than one that reads the value, and a filter in between can be misled.",
        fix: "Read the value, and pay no attention to `ce_` headers in structured mode.",
    },
    nl: Texts {
        title: "Kopieën in headers geweigerd, of gelezen in plaats van de waarde",
        explanation: "Een gestructureerd record mag attributen herhalen als `ce_`headers. Een afnemer accepteert dat en haalt de gebeurtenis uit de waarde, ook als beide verschillen.",
        why: "Een afnemer die op de headers afgaat, ziet een andere gebeurtenis dan een afnemer die de waarde leest. Een filter onderweg is zo te misleiden.",
        fix: "Lees de waarde en laat `ce_`headers in gestructureerde modus buiten beschouwing.",
    },
    good: Example::Message(
        Protocol::Kafka,
        "content-type: application/cloudevents+json\nce_id: 2\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    applies: Applies::In(Protocol::Kafka, Mode::Structured),
    ..ACCEPTANCE
};
