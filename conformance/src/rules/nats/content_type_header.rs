use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-BIN-2",
    en: Texts {
        title: "`Content-Type` instead of `ce-datacontenttype`",
        explanation: "On NATS every attribute travels as `ce-` and its name, and this includes `ce-datacontenttype`.",
        why: "A reader that follows the binding finds no content type and treats the data as bytes.",
        fix: "Write `ce-datacontenttype`, percent-encoded, and leave `Content-Type` out in binary mode.",
    },
    nl: Texts {
        title: "`Content-Type` in plaats van `ce-datacontenttype`",
        explanation: "Op NATS reist elk attribuut als `ce-` met de naam erachter, ook `ce-datacontenttype`.",
        why: "Een ontvanger die de specificatie voor NATS volgt, vindt geen content type en behandelt de data als bytes.",
        fix: "Schrijf `ce-datacontenttype`, met procentcodes, en laat `Content-Type` in binaire modus weg.",
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
