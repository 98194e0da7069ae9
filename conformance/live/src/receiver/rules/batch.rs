//! Batches are told from single events by the longer prefix of the content type.

use cloudevents_nl_conformance::Shown;

use super::text;
use crate::receiver::scenario::{Scenario, Tries, Try, broken_where, why};

pub(super) const SCENARIOS: &[Scenario] = &[Scenario {
    rule: "HTTP-DETECT-1",
    does: text(
        "Sends batches of one event and of three; they must be read as batches, or refused with 415.",
        "Stuurt batches van één en van drie gebeurtenissen; die moeten als batch worden gelezen, of met 415 worden geweigerd.",
    ),
    allow: None,
    tries: Tries::Made(|known| {
        known.needs_structured()?;
        let batch = |events| known.target.batch(&vec![""; events]);
        Ok(vec![
            Try::new("batch of 1", batch(1)),
            Try::new("batch of 3", batch(3)),
        ])
    }),
    judge: |_, seen| {
        if seen.iter().all(|seen| seen.status() == Some(415)) {
            return Shown::Nothing(why(
                "the receiver takes no batches: it answers 415 to them",
                "de ontvanger neemt geen batches aan: hij antwoordt er 415 op",
            ));
        }
        broken_where(seen, |seen| !seen.is_accepted())
    },
}];
