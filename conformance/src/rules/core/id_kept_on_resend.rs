use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-ID-5",
    level: Levels::cloudevents(Level::May),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, id",
    title: Text {
        en: "Event sent again with the `id` it had",
        nl: "Gebeurtenis opnieuw verzonden met hetzelfde `id`",
    },
    explanation: Text {
        en: "An event that is sent again after a failed delivery may keep its `id`.",
        nl: "Een gebeurtenis die na een mislukte aflevering opnieuw wordt verzonden, mag hetzelfde `id` houden.",
    },
    why: Text {
        en: "With a new `id` the second delivery looks like a second event, and consumers handle the same fact twice.",
        nl: "Met een nieuw `id` lijkt de tweede aflevering een tweede gebeurtenis. Afnemers verwerken hetzelfde feit dan dubbel.",
    },
    fix: Text {
        en: "Keep the `id`, and everything else, when you send an event again.",
        nl: "Houd bij opnieuw verzenden het `id` en alle andere gegevens gelijk.",
    },
    good: Example::Stream(&[r#""subject":"a""#, r#""subject":"a""#]),
    applies: Applies::Stream,
    ..ACCEPTANCE
};
