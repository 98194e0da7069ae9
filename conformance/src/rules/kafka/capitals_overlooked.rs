use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-DETECT-2",
    en: Texts {
        title: "Content type with capitals not recognised",
        explanation: "The value of `content-type` is a media type and ignores case: `Application/CloudEvents+JSON` announces an event. The name of the header does not ignore case.",
        why: "A reader that compares letter by letter falls back to binary mode, finds no attributes and turns a valid event away.",
        fix: "Compare the beginning of the value in lower case.",
    },
    nl: Texts {
        title: "Content type met hoofdletters niet herkend",
        explanation: "De waarde van `content-type` is een mediatype en niet hoofdlettergevoelig: `Application/CloudEvents+JSON` kondigt een gebeurtenis aan. De naam van de header is wel hoofdlettergevoelig.",
        why: "Een ontvanger die letter voor letter vergelijkt, valt terug op de binaire modus, vindt geen attributen en wijst een geldige gebeurtenis af.",
        fix: "Vergelijk het begin van de waarde in kleine letters.",
    },
    good: Example::Message(
        Protocol::Kafka,
        "content-type: Application/CloudEvents+JSON\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    applies: Applies::On(Protocol::Kafka),
    ..ACCEPTANCE
};
