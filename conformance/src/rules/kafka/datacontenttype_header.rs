use crate::rules::http::datacontenttype_header::report;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "KAFKA-BIN-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Kafka binding 1.0.1/1.0.2, 3.2.1",
    title: Text {
        en: "`ce_datacontenttype` in binary mode",
        nl: "`ce_datacontenttype` in binaire modus",
    },
    explanation: Text {
        en: "In binary mode the header `content-type` carries `datacontenttype`, and there is no header `ce_datacontenttype`. A header such as `Content-Type` or `contentType`, without the right one, is a notice: names are case-sensitive on Kafka.",
        nl: "In binaire modus draagt de header `content-type` het attribuut `datacontenttype`, en is er geen header `ce_datacontenttype`. Een header zoals `Content-Type` of `contentType`, zonder de juiste, is een opmerking: op Kafka zijn namen hoofdlettergevoelig.",
    },
    why: Text {
        en: "Consumers look at `content-type` and treat the data as bytes without a type. With both headers, two consumers can see two types.",
        nl: "Afnemers kijken naar `content-type` en behandelen de data als bytes zonder type. Zijn beide headers er, dan kunnen twee afnemers twee typen zien.",
    },
    fix: Text {
        en: "Write the type of the data in `content-type`, and leave `ce_datacontenttype` out.",
        nl: "Schrijf het type van de data in `content-type` en laat `ce_datacontenttype` weg.",
    },
    good: Example::Message(
        Protocol::Kafka,
        "content-type: application/json\n\n{\"a\":1}",
    ),
    bad: Example::Message(
        Protocol::Kafka,
        "ce_datacontenttype: application/json\n\n{\"a\":1}",
    ),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Kafka, Mode::Binary),
    check: Check::Message(check),
};

fn check(reading: &Reading<'_>, found: &mut Found<'_>) {
    report(reading, found);
    if reading.capture.has("content-type") {
        return;
    }
    let is_meant = |name: &str| {
        let name = name.replace(['-', '_'], "");
        name.eq_ignore_ascii_case("contenttype")
    };
    for header in &reading.capture.headers {
        if is_meant(&header.name) {
            found.noticed().header(header);
        }
    }
}
