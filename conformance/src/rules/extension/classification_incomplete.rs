use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-CLASS-1",
    en: Texts {
        title: "Data classification without `dataclassification`, or with an empty value",
        explanation: "Where the extension for data classification is used, `dataclassification` is set and is text. `dataregulation` and `datacategory`, if present, are text with at least one character.",
        why: "Systems decide by the level who may see the data and how long it is kept. A regulation without a level does not tell them, and who supports the extension must then refuse the event.",
        fix: "Add `dataclassification`, for example `public`, `internal`, `confidential` or `restricted`.",
    },
    nl: Texts {
        title: "Dataclassificatie zonder `dataclassification` of met een lege waarde",
        explanation: "Wie de extensie voor dataclassificatie gebruikt, vult `dataclassification` met tekst. Als `dataregulation` en `datacategory` aanwezig zijn, zijn ze tekst van ten minste één teken.",
        why: "Systemen bepalen op basis van het niveau wie de data mag zien en hoe lang die wordt bewaard. Een regeling zonder niveau zegt dat niet, en wie de extensie ondersteunt, moet de gebeurtenis dan weigeren.",
        fix: "Voeg `dataclassification` toe, bijvoorbeeld `public`, `internal`, `confidential` of `restricted`.",
    },
    good: Example::Event(r#""dataclassification":"restricted","dataregulation":"GDPR""#),
    bad: Example::Event(r#""dataregulation":"GDPR""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(check),
};

fn check(event: &Event<'_>, found: &mut Found<'_>) {
    let details = ["dataregulation", "datacategory"];
    let is_used = details.iter().any(|name| event.attribute(name).is_some());
    if is_used {
        found.missing(event, "dataclassification");
    }
    found.all(event.failing("dataclassification", |_| true));
    for name in details {
        found.all(event.failing(name, |text| !text.is_empty()));
    }
}
