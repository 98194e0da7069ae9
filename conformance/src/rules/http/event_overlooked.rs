use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-DETECT-4",
    level: Levels::everywhere(Level::May),
    status: Status::Released,
    clause: "HTTP binding 1.0.1/1.0.2, 3",
    title: Text {
        en: "Required `ce-` headers not taken for an event",
        nl: "Verplichte `ce-`headers niet opgevat als gebeurtenis",
    },
    explanation: Text {
        en: "A message that has all required attributes as `ce-` headers can be taken for a CloudEvent, with or without a content type. A message without them need not be one.",
        nl: "Een bericht met alle verplichte attributen als `ce-`header mag als CloudEvent worden opgevat, met of zonder content type. Een bericht zonder die headers hoeft geen CloudEvent te zijn.",
    },
    why: Text {
        en: "In binary mode no content type announces the event. An endpoint that goes by the content type alone misses every such event.",
        nl: "In binaire modus kondigt geen content type de gebeurtenis aan. Een ontvanger die alleen op het content type let, mist al deze gebeurtenissen.",
    },
    fix: Text {
        en: "Where the content type announces no event, look for `ce-specversion`, `ce-id`, `ce-source` and `ce-type`.",
        nl: "Kijk naar `ce-specversion`, `ce-id`, `ce-source` en `ce-type` als het content type geen gebeurtenis aankondigt.",
    },
    good: Example::Message(Protocol::Http, ""),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
