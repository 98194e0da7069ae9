//! Consent that comes later, by a call to the address that the handshake named.

use cloudevents_nl_conformance::{Shown, Why, is_allowed_rate};

use super::scenario;
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try};
use crate::shown::{by, evidence, nothing, why};

pub(super) const SCENARIOS: &[Scenario] = &[
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
                let request = &called.exchange.request;
                request
                    .header("webhook-allowed-rate")
                    .is_some_and(is_allowed_rate)
            })
        },
    ),
];

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
