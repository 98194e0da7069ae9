use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-STR-2",
    en: Texts {
        title: "Header copies refused, or read instead of the body",
        explanation: "A structured message may repeat attributes as `ce-` headers. A receiver accepts that and takes the event from the body, also where the two differ.",
        why: "A reader that takes the headers sees another event than the reader of the body, and a filter in between can be misled.",
        fix: "Read the body, and pay no attention to `ce-` headers in structured mode.",
    },
    nl: Texts {
        title: "Kopieën in headers geweigerd, of gelezen in plaats van de body",
        explanation: "Een gestructureerd bericht mag attributen herhalen als `ce-`headers. Een ontvanger accepteert dat en haalt de gebeurtenis uit de body, ook als beide verschillen.",
        why: "Een ontvanger die op de headers afgaat, ziet een andere gebeurtenis dan een ontvanger die de body leest. Een filter onderweg is zo te misleiden.",
        fix: "Lees de body en laat `ce-`headers in gestructureerde modus buiten beschouwing.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents+json\nce-id: 2\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    applies: Applies::In(Protocol::Http, Mode::Structured),
    ..ACCEPTANCE
};
