//! A delivery can be authorized with one request, without a challenge that has to be answered first.

use cloudevents_nl_conformance::{Shown, Why};

use super::{scenario, tokens};
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try, broken_where};
use crate::receiver::target::Token;

/// Schemes of the registry of IANA whose challenge goes into the answer to it.
const CHALLENGES: [&str; 9] = [
    "digest",
    "negotiate",
    "ntlm",
    "kerberos",
    "scram-sha-1",
    "scram-sha-256",
    "mutual",
    "hoba",
    "privatetoken",
];

/// A delivery again, with the cookie of the answer that refused it.
const WITH_COOKIE: &str = "with the cookie of that answer";

pub(super) const SCENARIOS: &[Scenario] = &[scenario(
    "HOOK-AUTH-4",
    "Sends a delivery without a token and looks for a challenge in the answer; sends one again with the cookie that a refusal set, if it set one.",
    "Stuurt een bericht zonder token en kijkt of het antwoord een uitdaging bevat; stuurt er een opnieuw met het cookie dat een weigering meegaf, als die er een meegaf.",
    Tries::Made(tries),
    judge,
)];

fn tries(known: &Known) -> Result<Vec<Try>, Why> {
    let mut tries = vec![Try::new("no token", tokens::delivery(known, Token::None))];
    let refused = known.structured.iter().filter(|seen| !seen.is_accepted());
    let cookies: Vec<_> = refused.flat_map(cookies).collect();
    if !cookies.is_empty() {
        let request = known.target.structured("");
        let request = request.with("cookie", cookies.join("; "));
        tries.push(Try::new(WITH_COOKIE, request));
    }
    Ok(tries)
}

fn judge(known: &Known, seen: &[Seen]) -> Shown {
    let seen = seen.iter().chain(&known.structured);
    broken_where(seen, |seen| {
        is_challenge(seen) || (seen.what == WITH_COOKIE && seen.is_accepted())
    })
}

fn cookies(seen: &Seen) -> Vec<String> {
    let set = seen.exchange.response.headers_named("set-cookie");
    let texts = set.filter_map(|header| str::from_utf8(header.value.as_deref()?).ok());
    let pairs = texts.filter_map(|text| text.split(';').next());
    pairs.map(ToOwned::to_owned).collect()
}

/// More than one scheme may stand in one header; names of parameters are followed by `=`.
fn is_challenge(seen: &Seen) -> bool {
    let headers = seen.exchange.response.headers_named("www-authenticate");
    let texts = headers.filter_map(|header| str::from_utf8(header.value.as_deref()?).ok());
    let mut words = texts
        .flat_map(|text| text.split([' ', ',']))
        .map(str::to_ascii_lowercase);
    words.any(|word| CHALLENGES.contains(&&*word))
}
