//! Batches are told from single events by the longer prefix of the content type.

use super::scenario;
use crate::receiver::scenario::{Scenario, Tries, Try, accepted};
use crate::shown::nothing;

pub(super) const SCENARIOS: &[Scenario] = &[scenario(
    "HTTP-DETECT-1",
    "Sends batches of one event and of three; they must be read as batches, or refused with 415.",
    "Stuurt batches van één en van drie gebeurtenissen; die moeten als batch worden gelezen, of met 415 worden geweigerd.",
    Tries::Structured(|target| {
        let batch = |events| target.batch(&vec![""; events]);
        vec![
            Try::new("batch of 1", batch(1)),
            Try::new("batch of 3", batch(3)),
        ]
    }),
    |known, seen| {
        if seen.iter().all(|seen| seen.status() == Some(415)) {
            return nothing(
                "the receiver takes no batches: it answers 415 to them",
                "de ontvanger neemt geen batches aan: hij antwoordt er 415 op",
            );
        }
        accepted(known, seen)
    },
)];
