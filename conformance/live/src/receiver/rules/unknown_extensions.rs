//! An event with extensions that nobody knows is an event.

use serde_json::json;

use super::text;
use crate::receiver::scenario::{Scenario, Try, accepted};

pub(super) const SCENARIOS: &[Scenario] = &[Scenario {
    rule: "CE-INT-2",
    does: text(
        "Sends extensions that no receiver knows, in the body and in headers; they must not be refused.",
        "Stuurt extensies die geen ontvanger kent, in de body en in headers; die mogen niet worden geweigerd.",
    ),
    allow: None,
    tries: |known| {
        let structured = json!({ "cenlunknown": "x", "cenlnumber": 1, "cenltruth": true });
        let structured = known.target.structured(structured);
        let binary = [("ce-cenlunknown", "x"), ("ce-cenlnumber", "1")];
        let binary = known.target.binary(&binary, "{\"test\":true}");
        match (known.needs_structured(), known.needs_binary()) {
            (Err(why), Err(_)) => Err(why),
            (Ok(()), Err(_)) => Ok(vec![Try::new("structured", structured)]),
            (Err(_), Ok(())) => Ok(vec![Try::new("binary", binary)]),
            (Ok(()), Ok(())) => Ok(vec![
                Try::new("structured", structured),
                Try::new("binary", binary),
            ]),
        }
    },
    judge: accepted,
}];
