//! More than the allowed rate is answered with 429.

use cloudevents_nl_conformance::{Shown, Why};

use super::text;
use crate::receiver::scenario::{Allow, Known, Scenario, Seen, Tries, Try, why};

/// Requests that are sent at most.
const MOST: u32 = 600;

pub(super) const SCENARIOS: &[Scenario] = &[Scenario {
    rule: "HOOK-RESP-8",
    does: text(
        "Sends twice the allowed rate at once, until 429 is the answer.",
        "Stuurt in één keer tweemaal het toegestane tempo, totdat 429 het antwoord is.",
    ),
    allow: Some(Allow::Load),
    tries: Tries::Made(tries),
    judge,
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
        Try::new(
            format!("number {number} at once"),
            known.target.structured(""),
        )
    };
    Ok((1..=2 * rate).map(number).collect())
}

fn judge(_: &Known, seen: &[Seen]) -> Shown {
    if seen.iter().any(|seen| seen.status() == Some(429)) {
        return Shown::Met;
    }
    // Where it refused in another way, that is what shows it; else that it never did.
    let refused = seen.iter().find(|seen| !seen.is_accepted());
    let shown = refused.or_else(|| seen.last());
    Shown::Broken(shown.map(Seen::evidence).into_iter().collect())
}
