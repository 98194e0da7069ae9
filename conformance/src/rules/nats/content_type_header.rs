use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "NATS-BIN-2",
    level: Levels::everywhere(Level::Must),
    status: Status::Draft,
    clause: "NATS binding 1.0.3-wip, 3.1.3.1",
    title: Text {
        en: "`Content-Type` instead of `ce-datacontenttype`",
        nl: "`Content-Type` in plaats van `ce-datacontenttype`",
    },
    explanation: Text {
        en: "On NATS every attribute travels as `ce-` and its name, and this includes `ce-datacontenttype`.",
        nl: "Op NATS reist elk attribuut als `ce-` met de naam erachter, ook `ce-datacontenttype`.",
    },
    why: Text {
        en: "A reader that follows the binding finds no content type and treats the data as bytes.",
        nl: "Een ontvanger die de specificatie voor NATS volgt, vindt geen content type en behandelt de data als bytes.",
    },
    fix: Text {
        en: "Write `ce-datacontenttype`, percent-encoded, and leave `Content-Type` out in binary mode.",
        nl: "Schrijf `ce-datacontenttype`, met procentcodes, en laat `Content-Type` in binaire modus weg.",
    },
    good: Example::Message(Protocol::Nats, "ce-datacontenttype: application/json\n\n{}"),
    bad: Example::Message(Protocol::Nats, "Content-Type: application/json\n\n{}"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: Check::Message(|reading, found| {
        let is_given = reading
            .attribute_headers()
            .any(|(name, _)| name == "datacontenttype");
        if !is_given {
            for header in reading.capture.headers_named("content-type") {
                found.header(header);
            }
        }
    }),
};
