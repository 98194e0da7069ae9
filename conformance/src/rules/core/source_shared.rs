use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-SOURCE-4",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, source",
    title: Text {
        en: "Producers with one `source` that use the same `id`",
        nl: "Systemen met dezelfde `source` die hetzelfde `id` gebruiken",
    },
    explanation: Text {
        en: "Producers that share a `source` agree on how they hand out ids, so that `source` and `id` together stay unique. A clash is reported by CE-ID-3.",
        nl: "Systemen die een `source` delen, stemmen de uitgifte van id’s af, zodat `source` en `id` samen uniek blijven. Een botsing wordt gemeld door CE-ID-3.",
    },
    why: Text {
        en: "Each producer may count without fault, and still their events collide. Receivers take the second event for a repeat and drop it.",
        nl: "Elk systeem kan foutloos nummeren, en toch botsen hun gebeurtenissen. Ontvangers houden de tweede gebeurtenis dan voor een herhaling en laten die weg.",
    },
    fix: Text {
        en: "Give each producer a `source` of its own, or use ids that cannot collide, such as UUIDs.",
        nl: "Geef elk systeem een eigen `source`, of gebruik id’s die niet kunnen botsen, zoals UUID’s.",
    },
    good: Example::Stream(&[r#""id":"a-1","subject":"a""#, r#""id":"b-1","subject":"b""#]),
    bad: Example::Stream(&[r#""id":"1","subject":"a""#, r#""id":"1","subject":"b""#]),
    decode: Decode::Accept,
    applies: Applies::Stream,
    check: Check::Umbrella(&["CE-ID-3"], Scope::All),
};
