//! A target that was retired.

use super::text;
use crate::receiver::scenario::{Scenario, Try, broken_where, why};

pub(super) const SCENARIOS: &[Scenario] = &[Scenario {
    rule: "HOOK-RESP-6",
    does: text(
        "Sends a delivery to the address of --retired, which must answer 410.",
        "Stuurt een bericht naar het adres van --retired, dat 410 moet antwoorden.",
    ),
    allow: None,
    tries: |known| {
        let retired = known.target.retired.as_ref().ok_or_else(|| {
            why(
                "no address of a retired target was given: name one with --retired",
                "er is geen adres van een opgeheven ontvanger gegeven: noem er een met --retired",
            )
        })?;
        let mut request = known.target.structured(serde_json::json!({}));
        request.url = retired.clone();
        Ok(vec![Try::new("retired", request)])
    },
    judge: |_, seen| broken_where(seen, |seen| seen.status() != Some(410)),
}];
