use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-STR-2",
    level: Levels::everywhere(Level::May),
    status: Status::Released,
    clause: "HTTP binding 1.0.1/1.0.2, 3.2.3",
    title: Text {
        en: "Header copies refused, or read instead of the body",
        nl: "Kopieën in headers geweigerd, of gelezen in plaats van de body",
    },
    explanation: Text {
        en: "A structured message may repeat attributes as `ce-` headers. A receiver accepts that and takes the event from the body, also where the two differ.",
        nl: "Een gestructureerd bericht mag attributen herhalen als `ce-`headers. Een ontvanger accepteert dat en haalt de gebeurtenis uit de body, ook als beide verschillen.",
    },
    why: Text {
        en: "A reader that takes the headers sees another event than the reader of the body, and a filter in between can be misled.",
        nl: "Een ontvanger die op de headers afgaat, ziet een andere gebeurtenis dan een ontvanger die de body leest. Een filter onderweg is zo te misleiden.",
    },
    fix: Text {
        en: "Read the body, and pay no attention to `ce-` headers in structured mode.",
        nl: "Lees de body en laat `ce-`headers in gestructureerde modus buiten beschouwing.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents+json\nce-id: 2\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    applies: Applies::In(Protocol::Http, Mode::Structured),
    ..ACCEPTANCE
};
