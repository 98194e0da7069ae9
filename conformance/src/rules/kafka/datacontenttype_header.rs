//! KAFKA-BIN-2: the content type of the data in a `ce_` header.

use crate::capture::Protocol;
use crate::reading::Mode;
use crate::rule::{Applies, Decode, Example, Level, Levels, Rule, Status, Text};

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
        en: "In binary mode the header `content-type` carries `datacontenttype`, and there is no header `ce_datacontenttype`.",
        nl: "In binaire modus draagt de header `content-type` het attribuut `datacontenttype`, en is er geen header `ce_datacontenttype`.",
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
    check: crate::rules::http::datacontenttype_header::RULE.check,
};
