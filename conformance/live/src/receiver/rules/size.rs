//! Events that take 64 KiB on the wire, all of it counted.

use serde_json::json;

use super::text;
use crate::client::Request;
use crate::receiver::scenario::{Known, Scenario, Try, accepted};

/// What every consumer should take.
const BYTES: usize = 64 << 10;

/// An event whose request is exactly so large, in structured mode.
pub(in crate::receiver) fn structured_of(known: &Known, bytes: usize) -> Request {
    let id = format!("{}-{bytes}-s", known.target.run);
    let of = |data| {
        known
            .target
            .structured(json!({ "id": id, "data": "a".repeat(data) }))
    };
    // The length of the body has as many digits then as it will have in the end.
    let filled = bytes / 2;
    let more = bytes.saturating_sub(of(filled).size());
    of(filled + more)
}

fn binary_of(known: &Known, bytes: usize) -> Request {
    let id = format!("{}-{bytes}-b", known.target.run);
    let headers = [("ce-id", &*id), ("content-type", "text/plain")];
    let of = |data| known.target.binary(&headers, "a".repeat(data));
    let filled = bytes / 2;
    let more = bytes.saturating_sub(of(filled).size());
    of(filled + more)
}

pub(super) const SCENARIOS: &[Scenario] = &[Scenario {
    rule: "SIZE-2",
    does: text(
        "Sends events that take 65,536 bytes on the wire, in both modes; they must not be refused.",
        "Stuurt gebeurtenissen die 65.536 bytes op de lijn innemen, in beide modi; die mogen niet worden geweigerd.",
    ),
    allow: None,
    tries: |known| {
        let structured = || Try::new("64 KiB structured", structured_of(known, BYTES));
        let binary = || Try::new("64 KiB binary", binary_of(known, BYTES));
        match (known.needs_structured(), known.needs_binary()) {
            (Err(why), Err(_)) => Err(why),
            (Ok(()), Err(_)) => Ok(vec![structured()]),
            (Err(_), Ok(())) => Ok(vec![binary()]),
            (Ok(()), Ok(())) => Ok(vec![structured(), binary()]),
        }
    },
    judge: accepted,
}];
