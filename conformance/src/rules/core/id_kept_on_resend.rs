use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-ID-5",
    en: Texts {
        title: "Event sent again with the `id` it had",
        explanation: "An event that is sent again after a failed delivery may keep its `id`.",
        why: "With a new `id` the second delivery looks like a second event, and consumers handle the same fact twice.",
        fix: "Keep the `id`, and everything else, when you send an event again.",
    },
    nl: Texts {
        title: "Gebeurtenis opnieuw verzonden met hetzelfde `id`",
        explanation: "Een gebeurtenis die na een mislukte aflevering opnieuw wordt verzonden, mag hetzelfde `id` houden.",
        why: "Met een nieuw `id` lijkt de tweede aflevering een tweede gebeurtenis. Afnemers verwerken hetzelfde feit dan dubbel.",
        fix: "Houd bij opnieuw verzenden het `id` en alle andere gegevens gelijk.",
    },
    good: Example::Stream(&[r#""subject":"a""#, r#""subject":"a""#]),
    applies: Applies::Stream,
    ..ACCEPTANCE
};
