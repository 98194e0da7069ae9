//! What a receiver may not refuse a handshake for.

use super::scenario;
use crate::receiver::scenario::{Scenario, Seen, Tries, Try, accepted, broken_where};
use crate::shown::{nothing, why};

/// Where no callback can arrive: nobody may register such a name (RFC 2606).
const NOWHERE: &str = "https://cenl-conformance.invalid/consent?id=";

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "HOOK-VREQ-3",
        "Asks with a URL for a callback at which nobody listens; the handshake must not fail for it.",
        "Vraagt met een URL voor een callback waar niemand luistert; de handshake mag daar niet op stuklopen.",
        Tries::Made(|known| {
            let failed = known.handshake.as_ref().filter(|seen| !seen.is_accepted());
            if let Some(seen) = failed {
                return Err(why(
                    format!("the handshake fails without it: {}", seen.told()),
                    format!("de handshake mislukt ook zonder: {}", seen.told()),
                ));
            }
            let url = format!("{NOWHERE}{}", known.target.id());
            // With a rate, as the first has it.
            let request = known.target.options().with("webhook-request-rate", "120");
            let request = request.with("webhook-request-callback", url);
            Ok(vec![Try::new("OPTIONS, callback", request)])
        }),
        accepted,
    ),
    scenario(
        "HOOK-VREQ-5",
        "Asks with a rate and without; who consents to one must consent to the other.",
        "Vraagt met een tempo en zonder; wie met het ene instemt, moet ook met het andere instemmen.",
        Tries::Made(|known| {
            let plain = known.target.options();
            let with_rate = plain.clone().with("webhook-request-rate", "120");
            Ok(vec![
                Try::new("OPTIONS, no rate", plain),
                Try::new("OPTIONS, rate 120", with_rate),
            ])
        }),
        |_, seen| match seen.iter().any(Seen::consents) {
            true => broken_where(seen, |seen| !seen.consents()),
            false => nothing(
                "the receiver consents with a rate no more than without",
                "de ontvanger stemt met een tempo evenmin in als zonder",
            ),
        },
    ),
];
