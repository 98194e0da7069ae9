use crate::grammar::trace_parent::is_trace_parent;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "EXT-TRACE-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Extension distributed tracing 1.0.1/1.0.2",
    title: Text {
        en: "`traceparent` missing, or not in the form of W3C Trace Context",
        nl: "`traceparent` ontbreekt of heeft niet de vorm van W3C Trace Context",
    },
    explanation: Text {
        en: "When tracing is used, `traceparent` is there: version, trace id, parent id and flags, in lower-case hex with hyphens in between. `tracestate` does not occur without it.",
        nl: "Bij tracering is `traceparent` aanwezig: versie, trace-id, parent-id en vlaggen, in hexadecimale cijfers met kleine letters en streepjes ertussen. `tracestate` komt niet voor zonder `traceparent`.",
    },
    why: Text {
        en: "Tracing tools drop a `traceparent` they cannot read and start a new trace. The path of the event then breaks off exactly where something went wrong.",
        nl: "Traceringssoftware laat een onleesbare `traceparent` vallen en begint een nieuwe trace. Het spoor van de gebeurtenis breekt op dat punt af.",
    },
    fix: Text {
        en: "Copy the value that the tracing library gives. Leave both attributes out if there is none.",
        nl: "Neem de waarde over die de traceringsbibliotheek levert. Laat beide attributen weg als die er niet is.",
    },
    good: Example::Event(
        r#""traceparent":"00-0af7651916cd43dd8448eb211c80319c-b9c7c989f97918e1-01""#,
    ),
    bad: Example::Event(r#""traceparent":"00-0-0-0""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        if event.attribute("tracestate").is_some() && event.attribute("traceparent").is_none() {
            found.missing(event, "traceparent");
        }
        found.all(event.failing("traceparent", is_trace_parent));
    }),
};
