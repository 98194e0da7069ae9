//! An event with extensions that nobody knows is an event.

use super::accepts;
use crate::receiver::scenario::{Scenario, Tries, Try};

/// A trace and a place in it (W3C Trace Context).
const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

pub(super) const SCENARIOS: &[Scenario] = &[accepts(
    "CE-INT-2",
    "extensions that no receiver knows, and `traceparent`, in both modes",
    "extensies die geen ontvanger kent, en `traceparent`, in beide modi",
    Tries::Made(|known| {
        let structured = r#""cenlunknown":"x","cenlnumber":1,"cenltruth":true"#;
        let binary = [("ce-cenlunknown", "x"), ("ce-cenlnumber", "1")];
        let mut tries = known.in_both_modes(
            Try::new(structured, known.target.structured(structured)),
            Try::new("ce-cenlunknown: x", known.target.binary(&binary, "{}")),
        )?;
        let structured = format!(r#""traceparent":"{TRACE}""#);
        let binary = [("ce-traceparent", TRACE)];
        tries.extend(known.in_both_modes(
            Try::new(&*structured, known.target.structured(&structured)),
            Try::new("ce-traceparent", known.target.binary(&binary, "{}")),
        )?);
        Ok(tries)
    }),
)];
