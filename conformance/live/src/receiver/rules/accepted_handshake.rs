//! What a receiver may not refuse a handshake for. One that consents without it consents with it.

use cloudevents_nl_conformance::{Shown, Why};

use super::text;
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try, broken_where, why};

/// Where no callback can arrive: nobody may register such a name (RFC 2606).
const NOWHERE: &str = "https://cenl-conformance.invalid/consent?id=";

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        rule: "HOOK-VREQ-3",
        does: text(
            "Asks with a URL for a callback at which nobody listens; the handshake must not fail for it.",
            "Vraagt met een URL voor een callback waar niemand luistert; de handshake mag daar niet op stuklopen.",
        ),
        allow: None,
        tries: Tries::Made(|known| {
            consents(known)?;
            let url = format!("{NOWHERE}{}", known.target.id());
            let request = known.target.options().with("webhook-request-callback", url);
            Ok(vec![Try::new("OPTIONS, callback", request)])
        }),
        judge,
    },
    Scenario {
        rule: "HOOK-VREQ-5",
        does: text(
            "Asks for a rate; the handshake must not fail for it.",
            "Vraagt om een tempo; de handshake mag daar niet op stuklopen.",
        ),
        allow: None,
        tries: Tries::Made(|known| {
            consents(known)?;
            let request = known.target.options().with("webhook-request-rate", "120");
            Ok(vec![Try::new("OPTIONS, rate 120", request)])
        }),
        judge,
    },
];

fn consents(known: &Known) -> Result<(), Why> {
    match &known.handshake {
        Some(seen) if !seen.is_accepted() => Err(why(
            format!("the handshake fails without it: {}", seen.told()),
            format!("de handshake mislukt ook zonder: {}", seen.told()),
        )),
        _ => Ok(()),
    }
}

fn judge(_: &Known, seen: &[Seen]) -> Shown {
    broken_where(seen, |seen| !seen.is_accepted())
}
