//! A structured event with a header beside it that says something else: nobody relies on it.

use super::scenario;
use crate::receiver::scenario::{Scenario, Seen, Tries, Try};
use crate::shown::by;

pub(super) const SCENARIOS: &[Scenario] = &[scenario(
    "NL-GL-HTTP-3",
    "compares the answers to a structured event without `ce-` headers and with one that differs",
    "vergelijkt de antwoorden op een gestructureerde gebeurtenis zonder `ce-`-headers en met een die afwijkt",
    Tries::Structured(|target| {
        let event = || target.structured("");
        vec![
            Try::new("no ce-id", event()),
            Try::new("ce-id: other", event().with("ce-id", "other")),
        ]
    }),
    |_, seen| {
        let accepted = seen.iter().filter(|seen| seen.is_accepted()).count();
        let differs = accepted > 0 && accepted < seen.len();
        by(seen.iter().filter(|_| differs).map(Seen::evidence))
    },
)];
