//! An event with extensions that nobody knows is an event.

use super::accepts;
use crate::receiver::scenario::{Scenario, Tries, Try};

pub(super) const SCENARIOS: &[Scenario] = &[accepts(
    "CE-INT-2",
    "extensions that no receiver knows, in both modes",
    "extensies die geen ontvanger kent, in beide modi",
    Tries::Made(|known| {
        let structured = r#""cenlunknown":"x","cenlnumber":1,"cenltruth":true"#;
        let binary = [("ce-cenlunknown", "x"), ("ce-cenlnumber", "1")];
        known.in_both_modes(
            Try::new(structured, known.target.structured(structured)),
            Try::new("ce-cenlunknown: x", known.target.binary(&binary, "{}")),
        )
    }),
)];
