use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-SOURCE-4",
    en: Texts {
        title: "Producers with one `source` that use the same `id`",
        explanation: "Producers that share a `source` agree on how they hand out ids, so that `source` and `id` together stay unique. A clash is reported by CE-ID-3.",
        why: "Each producer may count without fault, and still their events collide. Receivers take the second event for a repeat and drop it.",
        fix: "Give each producer a `source` of its own, or use ids that cannot collide, such as UUIDs.",
    },
    nl: Texts {
        title: "Systemen met dezelfde `source` die hetzelfde `id` gebruiken",
        explanation: "Systemen die een `source` delen, stemmen de uitgifte van id’s af, zodat `source` en `id` samen uniek blijven. Een botsing wordt gemeld door CE-ID-3.",
        why: "Elk systeem kan foutloos nummeren, en toch botsen hun gebeurtenissen. Ontvangers houden de tweede gebeurtenis dan voor een herhaling en laten die weg.",
        fix: "Geef elk systeem een eigen `source`, of gebruik id’s die niet kunnen botsen, zoals UUID’s.",
    },
    good: Example::Stream(&[r#""id":"a-1","subject":"a""#, r#""id":"b-1","subject":"b""#]),
    bad: Example::Stream(&[r#""id":"1","subject":"a""#, r#""id":"1","subject":"b""#]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Umbrella(&["CE-ID-3"], Scope::All),
};
