use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-DETECT-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "HTTP binding 1.0.3-wip, 3",
    title: Text {
        en: "Content type with capitals not recognised",
        nl: "Content type met hoofdletters niet herkend",
    },
    explanation: Text {
        en: "Media types ignore case: `Application/CloudEvents+JSON` announces an event just as `application/cloudevents+json` does.",
        nl: "Mediatypen zijn niet hoofdlettergevoelig: `Application/CloudEvents+JSON` kondigt een gebeurtenis aan, net als `application/cloudevents+json`.",
    },
    why: Text {
        en: "A reader that compares letter by letter falls back to binary mode, finds no attributes and turns a valid event away.",
        nl: "Een ontvanger die letter voor letter vergelijkt, valt terug op de binaire modus, vindt geen attributen en wijst een geldige gebeurtenis af.",
    },
    fix: Text {
        en: "Compare the beginning of `Content-Type` in lower case.",
        nl: "Vergelijk het begin van `Content-Type` in kleine letters.",
    },
    good: Example::Message(
        Protocol::Http,
        "CONTENT-TYPE: Application/CloudEvents+Json;Charset=UTF-8\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    applies: Applies::On(Protocol::Http),
    ..ACCEPTANCE
};
