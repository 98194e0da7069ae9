//! Whether there is a handshake. What its answers hold is judged by the checker.

use cloudevents_nl_conformance::{Shown, Why};

use super::text;
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try, why};

pub(super) const SCENARIOS: &[Scenario] = &[Scenario {
    rule: "HOOK-ABUSE-1",
    does: text(
        "Asks with OPTIONS whether events are wanted, naming a rate and naming none.",
        "Vraagt met OPTIONS of gebeurtenissen welkom zijn, met een tempo en zonder.",
    ),
    allow: None,
    tries: Tries::Made(|known| {
        Ok::<_, Why>(vec![Try::new("OPTIONS, no rate", known.target.options())])
    }),
    judge,
}];

fn judge(known: &Known, seen: &[Seen]) -> Shown {
    let all: Vec<_> = known.handshake.iter().chain(seen).collect();
    if all
        .iter()
        .any(|seen| seen.header("webhook-allowed-origin").is_some())
    {
        return Shown::Met;
    }
    // It consented later, by calling back.
    if known.callback.is_some() {
        return Shown::Met;
    }
    if all
        .iter()
        .any(|seen| matches!(seen.status(), Some(400 | 403 | 422)))
    {
        return Shown::Nothing(why(
            "the receiver may know the handshake and refuse this origin: name one that it knows with --origin",
            "de ontvanger kent de handshake misschien en weigert deze herkomst: noem er met --origin een die hij kent",
        ));
    }
    Shown::Broken(all.into_iter().map(Seen::evidence).collect())
}
