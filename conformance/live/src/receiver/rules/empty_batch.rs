//! A batch may be empty.

use super::text;
use crate::receiver::scenario::{Scenario, Try, accepted};

pub(super) const SCENARIOS: &[Scenario] = &[Scenario {
    rule: "HTTP-BATCH-4",
    does: text(
        "Sends an empty batch to a receiver that takes batches; it must not be refused.",
        "Stuurt een lege batch naar een ontvanger die batches aanneemt; die mag niet worden geweigerd.",
    ),
    allow: None,
    tries: |known| {
        known.needs_batch()?;
        Ok(vec![Try::new("[]", known.target.batch(&[]))])
    },
    judge: accepted,
}];
