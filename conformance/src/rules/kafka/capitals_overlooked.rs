use crate::rules::http::capitals_overlooked;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-DETECT-2",
    en: Texts {
        explanation: "The value of `content-type` is a media type and ignores case: `Application/CloudEvents+JSON` announces an event. The name of the header does not ignore case.",
        fix: "Compare the beginning of the value of `content-type` in lower case.",
        ..capitals_overlooked::RULE.en
    },
    nl: Texts {
        explanation: "De waarde van `content-type` is een mediatype en niet hoofdlettergevoelig: `Application/CloudEvents+JSON` kondigt een gebeurtenis aan. De naam van de header is wel hoofdlettergevoelig.",
        fix: "Vergelijk het begin van de waarde van `content-type` in kleine letters.",
        ..capitals_overlooked::RULE.nl
    },
    good: Example::Message(
        Protocol::Kafka,
        "content-type: Application/CloudEvents+JSON\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    applies: Applies::On(Protocol::Kafka),
    ..capitals_overlooked::RULE
};
