use crate::rules::http::datacontenttype_header::report;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-BIN-2",
    en: Texts {
        title: "`ce_datacontenttype` in binary mode",
        explanation: "In binary mode the header `content-type` carries `datacontenttype`, and there is no header `ce_datacontenttype`. A header such as `Content-Type` or `contentType`, without the right one, is a notice: names are case-sensitive on Kafka.",
        why: "Consumers look at `content-type` and treat the data as bytes without a type. With both headers, two consumers can see two types.",
        fix: "Write the type of the data in `content-type`, and leave `ce_datacontenttype` out.",
    },
    nl: Texts {
        title: "`ce_datacontenttype` in binaire modus",
        explanation: "In binaire modus draagt de header `content-type` het attribuut `datacontenttype`, en is er geen header `ce_datacontenttype`. Een header zoals `Content-Type` of `contentType`, zonder de juiste, is een opmerking: op Kafka zijn namen hoofdlettergevoelig.",
        why: "Afnemers kijken naar `content-type` en behandelen de data als bytes zonder type. Zijn beide headers er, dan kunnen twee afnemers twee typen zien.",
        fix: "Schrijf het type van de data in `content-type` en laat `ce_datacontenttype` weg.",
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
    for header in misspelt(reading) {
        found.noticed().header(header);
    }
}

/// Headers that are meant as `content-type`, and are others to Kafka.
pub(super) fn misspelt<'c>(reading: &Reading<'c>) -> impl Iterator<Item = &'c Header> {
    let headers = reading.capture.headers.iter();
    headers.filter(|header| {
        let name = header.name.replace(['-', '_'], "");
        header.name != "content-type" && name.eq_ignore_ascii_case("contenttype")
    })
}
