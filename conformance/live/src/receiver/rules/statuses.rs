//! The guideline repeats the duties about statuses, and is broken where one of them is.

use cloudevents_nl_conformance::Shown;

use super::scenario;
use crate::receiver::scenario::{Known, Scenario, Tries};
use crate::shown::{by, nothing};

/// What it repeats of what is tried out.
pub(in crate::receiver) const REPEATED: &[&str] = &["HOOK-RESP-6", "HOOK-RESP-8", "HOOK-RESP-11"];

pub(in crate::receiver) const RULE: &str = "NL-GL-HOOK-4";

pub(super) const SCENARIOS: &[Scenario] = &[scenario(
    RULE,
    "Sends nothing: takes together what was shown of 410, 415 and 429.",
    "Stuurt niets: neemt samen wat er van 410, 415 en 429 is gebleken.",
    Tries::Made(|_| Ok(Vec::new())),
    |known, _| judge(known),
)];

fn judge(known: &Known) -> Shown {
    let all = known.shown.iter();
    let repeated = all.filter(|(rule, _)| REPEATED.contains(rule));
    let mut evidence = Vec::new();
    let mut is_met = false;
    for (_, shown) in repeated {
        match shown {
            Shown::Met => is_met = true,
            Shown::Broken(broken) => evidence.extend(broken.clone()),
            Shown::Nothing(_) => {}
        }
    }
    match evidence.is_empty() && !is_met {
        true => nothing(
            "none of these statuses was shown",
            "geen van deze statussen is gebleken",
        ),
        false => by(evidence),
    }
}
