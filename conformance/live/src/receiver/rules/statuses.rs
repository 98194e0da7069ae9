//! Statuses that a receiver owes its senders: 410 once it is retired, and 429 above its rate. The guideline
//! repeats them, and is broken where one of them is.

use cloudevents_nl_conformance::{Shown, Why};
use http::Version;
use jiff::{SignedDuration, Timestamp};

use super::scenario;
use crate::receiver::scenario::{Allow, Known, Scenario, Seen, Tries, Try, broken_where};
use crate::shown::{by, nothing, why};

pub(super) const RETIRED: &[Scenario] = &[scenario(
    "HOOK-RESP-6",
    "Sends a delivery to the address of --retired, which must answer 410.",
    "Stuurt een bericht naar het adres van --retired, dat 410 moet antwoorden.",
    Tries::Made(|known| {
        let Some(retired) = known.target.retired.as_ref() else {
            return Err(why(
                "no address of a retired target was given: name one with --retired",
                "er is geen adres van een opgeheven ontvanger gegeven: noem er een met --retired",
            ));
        };
        let mut request = known.target.structured("");
        request.url = retired.clone();
        // The token is for the receiver alone.
        let of = |url: &http::Uri| (url.scheme().cloned(), url.authority().cloned());
        if of(retired) != of(&known.target.url) {
            request = request.without("authorization");
        }
        Ok(vec![Try {
            via: Some((Version::HTTP_11, None)),
            ..Try::new("retired", request)
        }])
    }),
    |_, seen| broken_where(seen, |seen| seen.status() != Some(410)),
)];

pub(super) const SCENARIOS: &[Scenario] = &[
    Scenario {
        allow: Some(Allow::Load),
        ..scenario(
            "HOOK-RESP-8",
            "Sends twice the allowed rate, one request upon the other, until 429 is the answer.",
            "Stuurt tweemaal het toegestane tempo, het ene verzoek na het andere, totdat 429 het antwoord is.",
            Tries::Made(twice_the_rate),
            limited,
        )
    },
    scenario(
        RULE,
        "Sends nothing: takes together what was shown of 410, 415 and 429.",
        "Stuurt niets: neemt samen wat er van 410, 415 en 429 is gebleken.",
        Tries::Any(|_| Vec::new()),
        |known, _| together(known),
    ),
];

/// Requests that are sent at most.
const MOST: u32 = 600;
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// What it repeats of what is tried out.
pub(in crate::receiver) const REPEATED: &[&str] = &["HOOK-RESP-6", "HOOK-RESP-8", "HOOK-RESP-11"];

pub(in crate::receiver) const RULE: &str = "NL-GL-HOOK-4";

fn twice_the_rate(known: &Known) -> Result<Vec<Try>, Why> {
    known.needs_structured()?;
    let rate = match (&known.handshake, known.allowed_rate()) {
        (_, Some(rate)) => rate,
        (None, None) => MOST / 2,
        (Some(_), None) => {
            return Err(why(
                "the receiver names no rate in the handshake, or says that there is no limit",
                "de ontvanger noemt in de handshake geen tempo, of zegt dat er geen grens is",
            ));
        }
    };
    if rate > MOST / 2 {
        return Err(why(
            format!(
                "the receiver allows {rate} requests per minute: twice as many would be more than {MOST}, which is the most that is sent"
            ),
            format!(
                "de ontvanger staat {rate} verzoeken per minuut toe: het dubbele is meer dan {MOST}, het meeste dat wordt verstuurd"
            ),
        ));
    }
    let number = |number| {
        let what = format!("number {number} in a row");
        Try::new(what, known.target.structured(""))
    };
    Ok((1..=2 * rate).map(number).collect())
}

/// Between the first answer and the last: each request waits for the answer before it.
fn answered_over(seen: &[Seen]) -> SignedDuration {
    let at = |seen: &Seen| -> Option<Timestamp> {
        seen.exchange.response.timestamp.as_deref()?.parse().ok()
    };
    let both = seen.first().and_then(at).zip(seen.last().and_then(at));
    both.map_or(SignedDuration::ZERO, |(first, last)| {
        last.duration_since(first)
    })
}

fn limited(_: &Known, seen: &[Seen]) -> Shown {
    if seen.iter().any(|seen| seen.status() == Some(429)) {
        return Shown::Met;
    }
    let locked_out = seen
        .first()
        .filter(|seen| matches!(seen.status(), Some(401 | 403)));
    if let Some(told) = locked_out.map(Seen::told) {
        return nothing(
            format!("it refused before it was too much, as after wrong tokens: {told}"),
            format!("hij weigerde al voordat het te veel was, zoals na verkeerde tokens: {told}"),
        );
    }
    // Where it refused in another way, that is what shows it; else that it never did.
    let refused = seen.iter().find(|seen| !seen.is_accepted());
    if refused.is_none() && answered_over(seen) > MINUTE {
        return nothing(
            "its answers took so long that no more than the rate came in any minute",
            "de antwoorden duurden zo lang dat er in geen minuut meer dan het tempo kwam",
        );
    }
    let shown = refused.or_else(|| seen.last());
    by(shown.map(Seen::evidence))
}

fn together(known: &Known) -> Shown {
    let all = known.shown.iter();
    let repeated = all.filter(|(rule, _)| REPEATED.contains(rule));
    let tried = repeated.filter(|(_, shown)| !matches!(shown, Shown::Nothing(_)));
    if tried.clone().next().is_none() {
        return nothing(
            "none of these statuses was shown",
            "geen van deze statussen is gebleken",
        );
    }
    by(tried.flat_map(|(_, shown)| match shown {
        Shown::Broken(evidence) => evidence.clone(),
        _ => Vec::new(),
    }))
}
