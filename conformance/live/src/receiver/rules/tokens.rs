//! Tokens, in the two ways of passing one: with one request, without a challenge that has to be answered
//! first.

use cloudevents_nl_conformance::Shown;
use serde_json::Value;

use super::scenario;
use crate::client::Request;
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try, broken_where};
use crate::receiver::target::{STRUCTURED, Token, other_capitals, shorter, with_query};
use crate::record::SHORTEST_SECRET;
use crate::shown::{by, nothing};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "HOOK-AUTH-2",
        "Sends the token in the header and in the query, alone and beside another parameter, which must be accepted, and none, an empty one, a wrong one, one with a letter more or less and one in other capitals, which must not.",
        "Stuurt het token in de header en in de query, alleen en naast een andere parameter, wat moet worden aangenomen, en geen token, een leeg, een verkeerd, een met een letter meer of minder en een met andere hoofdletters, wat niet mag worden aangenomen.",
        Tries::Made(|known| {
            let token = known.target.token()?;
            let longer = format!("{token}x");
            let (shorter, other) = (shorter(token), other_capitals(token));
            let mut ways = vec![
                ("token in access_token, and more", Token::Query(token)),
                ("token in Authorization", Token::Header(token)),
                ("token in access_token", Token::Query(token)),
                ("no token", Token::None),
                ("wrong token in Authorization", Token::Header(WRONG)),
                ("wrong token in access_token", Token::Query(WRONG)),
                ("token and a letter more", Token::Header(&longer)),
                ("Bearer alone", Token::Header("")),
            ];
            // An answer may repeat it, and what is shorter than that is not masked there.
            if shorter.len() >= SHORTEST_SECRET {
                ways.push(("token without its last letter", Token::Header(shorter)));
            }
            // One in hexadecimal digits, such as a UUID, may be compared as bytes.
            let is_digit = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
            let is_hex = token.bytes().all(is_digit);
            if other != token && !is_hex {
                ways.push(("token in other capitals", Token::Header(&other)));
            }
            let tries = ways.into_iter();
            let tries = tries.map(|(what, token)| Try::new(what, delivery(known, token)));
            let mut tries: Vec<_> = tries.collect();
            if let Some(first) = tries.first_mut() {
                first.request.url = with_query(&first.request.url, "cenl", "test");
            }
            Ok(tries)
        }),
        both_ways,
    ),
    scenario(
        "HOOK-AUTH-3",
        "Looks whether the token that was given is accepted as it is.",
        "Kijkt of het opgegeven token wordt aangenomen zoals het is.",
        Tries::Made(|known| {
            let token = Token::Header(known.target.token()?);
            let request = delivery(known, token);
            Ok(vec![Try::new("token in Authorization", request)])
        }),
        |_, seen| match seen {
            [seen] if seen.is_accepted() => Shown::Met,
            _ => nothing(
                "the token was not accepted, which may be the token's fault",
                "het token is niet aangenomen; dat kan aan het token liggen",
            ),
        },
    ),
    scenario(
        "HOOK-AUTH-4",
        "Sends a delivery without a token and looks for a challenge in the answer; sends one again with the cookie that a refusal set, if it set one.",
        "Stuurt een bericht zonder token en kijkt of het antwoord een uitdaging bevat; stuurt er een opnieuw met het cookie dat een weigering meegaf, als die er een meegaf.",
        Tries::Any(challenged),
        unchallenged,
    ),
];

/// Nobody gave out this one.
const WRONG: &str = "cenl-conformance-wrong-token";

/// A plain event that is authorized so.
fn delivery(known: &Known, token: Token<'_>) -> Request {
    let event = Value::Object(known.target.event("")).to_string();
    let request = known.target.post_with(token);
    request.with("content-type", STRUCTURED).with_body(event)
}

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

fn both_ways(_: &Known, seen: &[Seen]) -> Shown {
    let Some((right, wrong)) = seen.split_first_chunk::<3>() else {
        return nothing("no answers", "geen antwoorden");
    };
    if !right.iter().any(Seen::is_accepted) {
        return nothing(
            "the token is accepted in no way, which may be the token's fault",
            "het token wordt op geen enkele manier aangenomen; dat kan aan het token liggen",
        );
    }
    let [beside, alone @ ..] = right;
    // Any other status may be for the parameter that it does not know.
    let is_unauthorized = matches!(beside.status(), Some(401 | 403));
    let beside = is_unauthorized.then_some(beside);
    let refused = alone.iter().filter(|seen| !seen.is_accepted());
    let refused = beside.into_iter().chain(refused);
    let passed = wrong.iter().filter(|seen| seen.is_accepted());
    by(refused.chain(passed).map(Seen::evidence))
}

fn challenged(known: &Known) -> Vec<Try> {
    let mut tries = vec![Try::new("no token", delivery(known, Token::None))];
    let refused = known.structured.iter().filter(|seen| !seen.is_accepted());
    let set = refused.flat_map(|seen| texts(seen, "set-cookie"));
    let cookies: Vec<_> = set.filter_map(|text| text.split(';').next()).collect();
    if !cookies.is_empty() {
        let request = known.target.structured("");
        let request = request.with("cookie", cookies.join("; "));
        tries.push(Try::new(WITH_COOKIE, request));
    }
    tries
}

fn unchallenged(known: &Known, seen: &[Seen]) -> Shown {
    let seen = seen.iter().chain(&known.structured);
    broken_where(seen, |seen| {
        is_challenge(seen) || (seen.what == WITH_COOKIE && seen.is_accepted())
    })
}

/// The headers of a name that are text.
fn texts<'s>(seen: &'s Seen, name: &'s str) -> impl Iterator<Item = &'s str> {
    let headers = seen.exchange.response.headers_named(name);
    headers.filter_map(|header| str::from_utf8(header.value.as_deref()?).ok())
}

/// More than one scheme may stand in one header; names of parameters are followed by `=`.
fn is_challenge(seen: &Seen) -> bool {
    let mut words = texts(seen, "www-authenticate").flat_map(|text| text.split([' ', ',']));
    let is_scheme = |word: &str| CHALLENGES.iter().any(|it| it.eq_ignore_ascii_case(word));
    words.any(is_scheme)
}
