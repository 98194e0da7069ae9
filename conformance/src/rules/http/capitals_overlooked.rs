use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-DETECT-2",
    en: Texts {
        title: "Content type with capitals not recognised",
        explanation: "Media types ignore case: `Application/CloudEvents+JSON` announces an event just as `application/cloudevents+json` does.",
        why: "A reader that compares letter by letter falls back to binary mode, finds no attributes and turns a valid event away.",
        fix: "Compare the beginning of `Content-Type` in lower case.",
    },
    nl: Texts {
        title: "Content type met hoofdletters niet herkend",
        explanation: "Mediatypen zijn niet hoofdlettergevoelig: `Application/CloudEvents+JSON` kondigt een gebeurtenis aan, net als `application/cloudevents+json`.",
        why: "Een ontvanger die letter voor letter vergelijkt, valt terug op de binaire modus, vindt geen attributen en wijst een geldige gebeurtenis af.",
        fix: "Vergelijk het begin van `Content-Type` in kleine letters.",
    },
    good: Example::Message(
        Protocol::Http,
        "CONTENT-TYPE: Application/CloudEvents+Json;Charset=UTF-8\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    applies: Applies::On(Protocol::Http),
    ..ACCEPTANCE
};
