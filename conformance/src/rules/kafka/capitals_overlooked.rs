use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "KAFKA-DETECT-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "Kafka binding 1.0.3-wip, 3",
    title: Text {
        en: "Content type with capitals not recognised",
        nl: "Content type met hoofdletters niet herkend",
    },
    explanation: Text {
        en: "The value of `content-type` is a media type and ignores case: `Application/CloudEvents+JSON` announces an event. The name of the header does not ignore case.",
        nl: "De waarde van `content-type` is een mediatype en niet hoofdlettergevoelig: `Application/CloudEvents+JSON` kondigt een gebeurtenis aan. De naam van de header is wel hoofdlettergevoelig.",
    },
    why: Text {
        en: "A reader that compares letter by letter falls back to binary mode, finds no attributes and turns a valid event away.",
        nl: "Een ontvanger die letter voor letter vergelijkt, valt terug op de binaire modus, vindt geen attributen en wijst een geldige gebeurtenis af.",
    },
    fix: Text {
        en: "Compare the beginning of the value in lower case.",
        nl: "Vergelijk het begin van de waarde in kleine letters.",
    },
    good: Example::Message(
        Protocol::Kafka,
        "content-type: Application/CloudEvents+JSON\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    applies: Applies::On(Protocol::Kafka),
    ..ACCEPTANCE
};
