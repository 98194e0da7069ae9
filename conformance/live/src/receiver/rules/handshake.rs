//! The handshake: whether there is one, what it may not be refused for, and consent that comes later, by a
//! call to the address that it named. What its answers hold is judged by the checker.

use cloudevents_nl_conformance::{Shown, Why, is_allowed_rate};
use http::Uri;

use super::scenario;
use crate::client::{Letters, Request};
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try, accepted, broken_where};
use crate::receiver::wait::PLAIN;
use crate::shown::{by, evidence, nothing, why};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "HOOK-ABUSE-1",
        "Asks with OPTIONS whether events are wanted: with a rate, without, with a URL for a callback, and with what it may be overlooked without.",
        "Vraagt met OPTIONS of gebeurtenissen welkom zijn: met een tempo, zonder, met een URL voor een callback, en met alles zonder welk het over het hoofd kan worden gezien.",
        Tries::Any(|known| {
            let target = &known.target;
            let request = target.options().with("origin", &*target.origin);
            let request = match &target.token {
                Some(token) => request.with("authorization", format!("Bearer {token}")),
                None => request,
            };
            vec![
                Try::new("OPTIONS, no rate", target.options()),
                Try::new("OPTIONS, callback", called_nowhere(known)),
                Try::new(IN_FULL, request.spelled(Letters::Words)),
            ]
        }),
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
            // With a rate, as the first has it.
            let request = called_nowhere(known).with("webhook-request-rate", "120");
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
                let request = &called.exchange.request;
                let is_right_method = matches!(request.method.as_deref(), Some("GET" | "POST"));
                let url = request.target.as_deref().and_then(|url| url.parse().ok());
                let path = |url: Option<Uri>| url?.into_parts().path_and_query;
                let is_right_target = path(url) == path(known.target.callback.clone());
                is_right_method && is_right_target && !called.what.ends_with(PLAIN)
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

/// With names of headers as the specification prints them, the token, and beside them the `Origin` of CORS.
const IN_FULL: &str = "OPTIONS, WebHook-Request-Origin and Origin";

fn called_nowhere(known: &Known) -> Request {
    let url = format!("{NOWHERE}{}", known.target.id());
    let request = known.target.options();
    request.with("webhook-request-callback", url)
}

fn wanted(known: &Known, seen: &[Seen]) -> Shown {
    let [plain, called, in_full] = seen else {
        return nothing("no answers", "geen antwoorden");
    };
    // Or it consents later, by calling back: it has done so, or says so to those alone who can be called.
    let is_later = |seen: &Seen| seen.status() == Some(202);
    let consents_later = known.callback.is_some() || is_later(called) && !is_later(plain);
    let mut asked = known.handshake.iter().chain([plain, called]);
    let wants_token =
        known.target.token.is_some() && matches!(plain.status(), Some(401 | 403 | 404));
    if consents_later || asked.any(Seen::consents) || wants_token && in_full.consents() {
        return Shown::Met;
    }
    if is_later(plain) {
        return nothing(
            "the receiver answers 202 to those too whom it cannot call back",
            "de ontvanger antwoordt ook 202 aan wie hij niet kan terugbellen",
        );
    }
    // What answers to `Origin` may be another, for CORS.
    let is_refused = |seen: &Seen| matches!(seen.status(), Some(400 | 403 | 422));
    let is_unknown = is_refused(plain) || is_refused(in_full) || in_full.status() == Some(401);
    if is_unknown && !in_full.consents() {
        return nothing(
            "the receiver may know the handshake and refuse this origin, or want a token for it: name an origin that it knows with --origin",
            "de ontvanger kent de handshake misschien en weigert deze herkomst, of wil er een token voor: noem met --origin een herkomst die hij kent",
        );
    }
    let in_full = (!in_full.consents()).then_some(in_full);
    let overlooked = known.handshake.iter().chain([plain]).chain(in_full);
    by(overlooked.map(Seen::evidence))
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
        None => {
            let came = known.no_call.iter().map(|error| format!("; {error}"));
            let came: String = came.collect();
            Err(why(
                format!("no call of that URL came while this tool waited{came}"),
                format!("er kwam geen aanroep van die URL zolang dit gereedschap wachtte{came}"),
            ))
        }
    }
}

fn judged(known: &Known, is_met: fn(&Seen, &Known) -> bool) -> Shown {
    let Some(called) = &known.callback else {
        return nothing("no call came", "er kwam geen aanroep");
    };
    let is_broken = !is_met(called, known);
    by(is_broken.then(|| evidence(called.line, &*called.what)))
}
