//! More than the allowed rate is answered with 429.

use cloudevents_nl_conformance::{Shown, Why};
use jiff::{SignedDuration, Timestamp};

use super::scenario;
use crate::receiver::scenario::{Allow, Known, Scenario, Seen, Tries, Try};
use crate::shown::{by, nothing, why};

/// Requests that are sent at most.
const MOST: u32 = 600;
/// What the rate is counted in.
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

pub(super) const SCENARIOS: &[Scenario] = &[Scenario {
    allow: Some(Allow::Load),
    ..scenario(
        "HOOK-RESP-8",
        "Sends twice the allowed rate, one request upon the other, until 429 is the answer.",
        "Stuurt tweemaal het toegestane tempo, het ene verzoek na het andere, totdat 429 het antwoord is.",
        Tries::Made(tries),
        judge,
    )
}];

fn tries(known: &Known) -> Result<Vec<Try>, Why> {
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
    let (first, last) = (seen.first().and_then(at), seen.last().and_then(at));
    let between = first
        .zip(last)
        .map(|(first, last)| last.duration_since(first));
    between.unwrap_or_default()
}

fn judge(_: &Known, seen: &[Seen]) -> Shown {
    if seen.iter().any(|seen| seen.status() == Some(429)) {
        return Shown::Met;
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
