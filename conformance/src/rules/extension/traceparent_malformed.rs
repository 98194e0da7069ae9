use crate::grammar::trace_parent::is_trace_parent;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-TRACE-1",
    en: Texts {
        title: "`traceparent` missing, or not in the form of W3C Trace Context",
        explanation: "When tracing is used, `traceparent` is there: version, trace id, parent id and flags, in lower-case hex with hyphens in between. `tracestate` does not occur without it.",
        why: "Tracing tools drop a `traceparent` they cannot read and start a new trace. The path of the event then breaks off exactly where something went wrong.",
        fix: "Copy the value that the tracing library gives. Leave both attributes out if there is none.",
    },
    nl: Texts {
        title: "`traceparent` ontbreekt of heeft niet de vorm van W3C Trace Context",
        explanation: "Bij tracering is `traceparent` aanwezig: versie, trace-id, parent-id en vlaggen, in hexadecimale cijfers met kleine letters en streepjes ertussen. `tracestate` komt niet voor zonder `traceparent`.",
        why: "Traceringssoftware laat een onleesbare `traceparent` vallen en begint een nieuwe trace. Het spoor van de gebeurtenis breekt op dat punt af.",
        fix: "Neem de waarde over die de traceringsbibliotheek levert. Laat beide attributen weg als die er niet is.",
    },
    good: Example::Event(
        r#""traceparent":"00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01""#,
    ),
    bad: Example::Event(r#""traceparent":"00-0-0-0""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        if event.attribute("tracestate").is_some() {
            found.missing(event, "traceparent");
        }
        found.all(event.failing("traceparent", is_trace_parent));
    }),
};
