//! What a receiver may not refuse a handshake for. One that consents without it consents with it.

use cloudevents_nl_conformance::Why;

use super::scenario;
use crate::client::Request;
use crate::receiver::scenario::{Known, Scenario, Tries, Try, accepted};
use crate::shown::why;

/// Where no callback can arrive: nobody may register such a name (RFC 2606).
const NOWHERE: &str = "https://cenl-conformance.invalid/consent?id=";

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "HOOK-VREQ-3",
        "Asks with a URL for a callback at which nobody listens; the handshake must not fail for it.",
        "Vraagt met een URL voor een callback waar niemand luistert; de handshake mag daar niet op stuklopen.",
        Tries::Made(|known| {
            let url = format!("{NOWHERE}{}", known.target.id());
            let request = known.target.options().with("webhook-request-callback", url);
            with(known, "OPTIONS, callback", request)
        }),
        accepted,
    ),
    scenario(
        "HOOK-VREQ-5",
        "Asks for a rate; the handshake must not fail for it.",
        "Vraagt om een tempo; de handshake mag daar niet op stuklopen.",
        Tries::Made(|known| {
            let request = known.target.options().with("webhook-request-rate", "120");
            with(known, "OPTIONS, rate 120", request)
        }),
        accepted,
    ),
];

/// This request, where the handshake does not fail without what it adds.
fn with(known: &Known, what: &str, request: Request) -> Result<Vec<Try>, Why> {
    match &known.handshake {
        Some(seen) if !seen.is_accepted() => Err(why(
            format!("the handshake fails without it: {}", seen.told()),
            format!("de handshake mislukt ook zonder: {}", seen.told()),
        )),
        _ => Ok(vec![Try::new(what, request)]),
    }
}
