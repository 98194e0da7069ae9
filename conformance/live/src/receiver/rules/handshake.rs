//! The handshake: whether there is one, what it may not be refused for, and consent that comes later, by a
//! call to the address that it named. What its answers hold is judged by the checker.

use cloudevents_nl_conformance::{Shown, Why, is_allowed_rate};

use super::scenario;
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try, accepted, broken_where};
use crate::shown::{by, evidence, nothing, why};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "HOOK-ABUSE-1",
        "Asks with OPTIONS whether events are wanted, naming a rate and naming none.",
        "Vraagt met OPTIONS of gebeurtenissen welkom zijn, met een tempo en zonder.",
        Tries::Any(|known| vec![Try::new("OPTIONS, no rate", known.target.options())]),
        wanted,
    ),
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
        Tries::Any(|known| {
            let plain = known.target.options();
            let with_rate = plain.clone().with("webhook-request-rate", "120");
            vec![
                Try::new("OPTIONS, no rate", plain),
                Try::new("OPTIONS, rate 120", with_rate),
            ]
        }),
        |_, seen| match seen.iter().any(Seen::consents) {
            true => broken_where(seen, |seen| !seen.consents()),
            false => nothing(
                "the receiver consents with a rate no more than without",
                "de ontvanger stemt met een tempo evenmin in als zonder",
            ),
        },
    ),
    scenario(
        "HOOK-VRES-9",
        "Looks at the call by which the receiver consents, where somebody listens for it (--callback-listen).",
        "Kijkt naar de aanroep waarmee de ontvanger instemt, als er iemand op wacht (--callback-listen).",
        Tries::Made(heard),
        |known, _| {
            judged(known, |called, known| {
                let is_right_method = matches!(called.method(), "GET" | "POST");
                is_right_method && called.target() == known.target.callback_path()
            })
        },
    ),
    scenario(
        "HOOK-CB-2",
        "Looks whether that call names the allowed rate.",
        "Kijkt of die aanroep het toegestane tempo noemt.",
        Tries::Made(heard),
        |known, _| {
            judged(known, |called, _| {
                let rate = called.exchange.request.header("webhook-allowed-rate");
                rate.is_some_and(is_allowed_rate)
            })
        },
    ),
];

/// Where no callback can arrive: nobody may register such a name (RFC 2606).
const NOWHERE: &str = "https://cenl-conformance.invalid/consent?id=";

fn wanted(known: &Known, seen: &[Seen]) -> Shown {
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

fn heard(known: &Known) -> Result<Vec<Try>, Why> {
    let consents_at_once = known.handshake.as_ref().is_some_and(Seen::consents);
    match &known.callback {
        Some(_) => Ok(Vec::new()),
        None if known.target.callback.is_none() => Err(why(
            "nobody listened for a call: name an address with --callback and --callback-listen",
            "er luisterde niemand naar een aanroep: noem een adres met --callback en --callback-listen",
        )),
        None if consents_at_once => Err(why(
            "the receiver consents at once, without a call",
            "de ontvanger stemt meteen in, zonder aanroep",
        )),
        None => Err(why(
            "no call of that URL came while this tool waited",
            "er kwam geen aanroep van die URL zolang dit gereedschap wachtte",
        )),
    }
}

fn judged(known: &Known, is_met: fn(&Seen, &Known) -> bool) -> Shown {
    let Some(called) = &known.callback else {
        return nothing("no call came", "er kwam geen aanroep");
    };
    let is_broken = !is_met(called, known);
    by(is_broken.then(|| evidence(called.line, &*called.what)))
}
