use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-DETECT-4",
    en: Texts {
        title: "Required `ce_` headers not taken for an event",
        explanation: "A record that has all required attributes as `ce_` headers can be taken for a CloudEvent, with or without a content type. A record without them need not be one.",
        why: "A topic may hold events next to other records. A consumer that tells them apart by the content type alone misses every event in binary mode.",
        fix: "Where the content type announces no event, look for `ce_specversion`, `ce_id`, `ce_source` and `ce_type`.",
    },
    nl: Texts {
        title: "Verplichte `ce_`headers niet opgevat als gebeurtenis",
        explanation: "Een record met alle verplichte attributen als `ce_`header mag als CloudEvent worden opgevat, met of zonder content type. Een record zonder die headers hoeft geen CloudEvent te zijn.",
        why: "Een topic kan gebeurtenissen bevatten naast andere records. Een afnemer die ze alleen aan het content type onderscheidt, mist elke gebeurtenis in binaire modus.",
        fix: "Kijk naar `ce_specversion`, `ce_id`, `ce_source` en `ce_type` als het content type geen gebeurtenis aankondigt.",
    },
    good: Example::Message(Protocol::Kafka, ""),
    applies: Applies::In(Protocol::Kafka, Mode::Binary),
    ..ACCEPTANCE
};
