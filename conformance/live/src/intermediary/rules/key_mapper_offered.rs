//! KAFKA-KEY-3: a setting, which no run shows.

use cloudevents_nl_conformance::Shown;

use super::{Rule, why};

pub(super) const RULE: Rule = Rule {
    id: "KAFKA-KEY-3",
    judge: |_| {
        Shown::Nothing(why(
            "whether there is such a setting stands in its documentation",
            "of die instelling er is, staat in de documentatie",
        ))
    },
};
