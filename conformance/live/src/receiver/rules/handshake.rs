//! Whether there is a handshake. What its answers hold is judged by the checker.

use cloudevents_nl_conformance::Shown;

use super::scenario;
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try};
use crate::shown::{by, nothing};

pub(super) const SCENARIOS: &[Scenario] = &[scenario(
    "HOOK-ABUSE-1",
    "Asks with OPTIONS whether events are wanted, naming a rate and naming none.",
    "Vraagt met OPTIONS of gebeurtenissen welkom zijn, met een tempo en zonder.",
    Tries::Made(|known| Ok(vec![Try::new("OPTIONS, no rate", known.target.options())])),
    judge,
)];

fn judge(known: &Known, seen: &[Seen]) -> Shown {
    let all = known.handshake.iter().chain(seen);
    // Or it consented later, by calling back.
    if all.clone().any(Seen::consents) || known.callback.is_some() {
        return Shown::Met;
    }
    let refuses = |seen: &Seen| matches!(seen.status(), Some(400 | 401 | 403 | 422));
    if all.clone().any(refuses) {
        return nothing(
            "the receiver may know the handshake and refuse this origin, or want a token for it: name an origin that it knows with --origin",
            "de ontvanger kent de handshake misschien en weigert deze herkomst, of wil er een token voor: noem met --origin een herkomst die hij kent",
        );
    }
    by(all.map(Seen::evidence))
}
