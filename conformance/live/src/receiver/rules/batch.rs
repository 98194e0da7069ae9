//! Batches are told from single events by the longer prefix of the content type.

use super::scenario;
use crate::receiver::scenario::{Scenario, Tries, Try, accepted};
use crate::receiver::target::BATCH;
use crate::shown::nothing;

pub(super) const SCENARIOS: &[Scenario] = &[scenario(
    "HTTP-DETECT-1",
    "Sends batches of one event and of three, and one with a charset; they must be read as batches, or refused with 415.",
    "Stuurt batches van één en van drie gebeurtenissen, en een met een charset; die moeten als batch worden gelezen, of met 415 worden geweigerd.",
    Tries::Structured(|target| {
        let batch = |events| target.batch(&vec![""; events]);
        let mut with_charset = batch(1);
        with_charset
            .headers
            .retain(|(name, _)| name != "content-type");
        let media = format!("{BATCH}; charset=utf-8");
        vec![
            Try::new("batch of 1", batch(1)),
            Try::new("batch of 3", batch(3)),
            Try::new(&*media, with_charset.with("content-type", &*media)),
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
