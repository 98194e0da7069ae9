use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-DETECT-4",
    en: Texts {
        title: "Required `ce-` headers not taken for an event",
        explanation: "A message that has all required attributes as `ce-` headers can be taken for a CloudEvent, with or without a content type. A message without them need not be one.",
        why: "In binary mode no content type announces the event. An endpoint that goes by the content type alone misses every such event.",
        fix: "Where the content type announces no event, look for `ce-specversion`, `ce-id`, `ce-source` and `ce-type`.",
    },
    nl: Texts {
        title: "Verplichte `ce-`headers niet opgevat als gebeurtenis",
        explanation: "Een bericht met alle verplichte attributen als `ce-`header mag als CloudEvent worden opgevat, met of zonder content type. Een bericht zonder die headers hoeft geen CloudEvent te zijn.",
        why: "In binaire modus kondigt geen content type de gebeurtenis aan. Een ontvanger die alleen op het content type let, mist al deze gebeurtenissen.",
        fix: "Kijk naar `ce-specversion`, `ce-id`, `ce-source` en `ce-type` als het content type geen gebeurtenis aankondigt.",
    },
    good: Example::Message(Protocol::Http, ""),
    applies: Applies::In(Protocol::Http, Mode::Binary),
    ..ACCEPTANCE
};
