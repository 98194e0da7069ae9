use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-BIN-5",
    en: Texts {
        title: "Extension in a native header, but not as `ce-` header",
        explanation: "An extension that also has a native header, such as `traceparent`, still travels as `ce-` header. Reported where `ce-tracestate` shows that the event itself is traced and its `traceparent` stands in the native header alone.",
        why: "Native tracing headers belong to one request, and every proxy replaces them. The trace of the event is gone after one hop.",
        fix: "Write `ce-traceparent` next to `traceparent`.",
    },
    nl: Texts {
        title: "Extensie in een eigen header, maar niet als `ce-`header",
        explanation: "Een extensie die ook een eigen header kent, zoals `traceparent`, reist altijd ook mee als `ce-`header. Gemeld als `ce-tracestate` laat zien dat de gebeurtenis zelf wordt getraceerd en `traceparent` alleen in de eigen header staat.",
        why: "De eigen headers voor tracering horen bij één verzoek, en elke proxy vervangt ze. Na één stap is het spoor van de gebeurtenis weg.",
        fix: "Schrijf `ce-traceparent` naast `traceparent`.",
    },
    good: Example::Message(
        Protocol::Http,
        "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\nce-traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\nce-tracestate: rojo=1",
    ),
    bad: Example::Message(
        Protocol::Http,
        "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\nce-tracestate: rojo=1",
    ),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(|reading, found| {
        let is_own = |name: &str| reading.attribute_headers().any(|(own, _)| own == name);
        // A native header without that shows no more than that the request is traced.
        if is_own("tracestate") && !is_own("traceparent") {
            for header in reading.capture.headers_named("traceparent") {
                found.header(header);
            }
        }
    }),
};
