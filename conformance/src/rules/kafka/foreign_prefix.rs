use crate::grammar::name::REQUIRED;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-BIN-5",
    en: Texts {
        title: "Attributes under another prefix than `ce_`",
        explanation: "On Kafka the header of an attribute is `ce_` and its name, in lower case. Reported where the required attributes are all there under another prefix, such as `ce-` or `cloudEvents_`.",
        why: "Names of Kafka headers are case-sensitive, so no reader finds the attributes: the message is no CloudEvent.",
        fix: "Write `ce_id`, `ce_source`, `ce_type` and `ce_specversion`; `ce-` is the prefix of HTTP and NATS.",
    },
    nl: Texts {
        title: "Attributen met een ander voorvoegsel dan `ce_`",
        explanation: "Op Kafka is de header van een attribuut `ce_` met de naam erachter, in kleine letters. Gemeld als de verplichte attributen er allemaal zijn met een ander voorvoegsel, zoals `ce-` of `cloudEvents_`.",
        why: "Namen van Kafka-headers zijn hoofdlettergevoelig. Ontvangers vinden de attributen niet: voor hen is het bericht geen CloudEvent.",
        fix: "Schrijf `ce_id`, `ce_source`, `ce_type` en `ce_specversion`; `ce-` is het voorvoegsel van HTTP en NATS.",
    },
    good: Example::Message(Protocol::Kafka, "ce_time: 2021-12-10T17:31:00Z"),
    bad: Example::Message(
        Protocol::Kafka,
        "=\nce-specversion: 1.0\nce-id: 1\nce-source: /a\nce-type: nl.a.b",
    ),
    decode: Decode::Accept,
    applies: Applies::On(Protocol::Kafka),
    check: Check::Message(check),
};

fn check(reading: &Reading<'_>, found: &mut Found<'_>) {
    if reading.mode != Mode::NotAnEvent {
        return;
    }
    let headers = || reading.capture.headers.iter();
    let is_one = |header: &str, name: &str| {
        let header = header.to_ascii_lowercase();
        let prefixes = ["cloudevents", "x-ce", "ce"].into_iter();
        let mut rests = prefixes.filter_map(|prefix| header.strip_prefix(prefix));
        rests
            .next()
            .and_then(|rest| rest.strip_prefix(['-', '_', ':']))
            == Some(name)
    };
    if REQUIRED
        .iter()
        .all(|name| headers().any(|header| is_one(&header.name, name)))
    {
        let all = headers().filter(|header| REQUIRED.iter().any(|name| is_one(&header.name, name)));
        all.for_each(|header| found.header(header));
    }
}
