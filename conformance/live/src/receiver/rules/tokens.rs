//! Tokens, in the two ways of passing one: with one request, without a challenge that has to be answered
//! first.

use cloudevents_nl_conformance::Shown;
use serde_json::Value;

use super::accepted::TEST;
use super::scenario;
use crate::client::Request;
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try, broken_where};
use crate::receiver::target::{STRUCTURED, Token, other_capitals, shorter, with_query};
use crate::record::SHORTEST_SECRET;
use crate::shown::{by, nothing};

pub(super) const SCENARIOS: &[Scenario] = &[
    scenario(
        "HOOK-AUTH-2",
        "Sends the token in the header and in the query, alone and before and behind another parameter, which must be accepted. In every mode none and a wrong one in the query, none on the connection of one with it, another scheme, and in both ways an empty token, a wrong one, one with a letter more or less and one in other capitals must not.",
        "Stuurt het token in de header en in de query, alleen en voor en achter een andere parameter, wat moet worden aangenomen. Geen token en een verkeerd in de query in elke modus, geen op de verbinding van een met token, een ander schema, en op beide manieren een leeg, een verkeerd, een met een letter meer of minder en een met andere hoofdletters moet worden geweigerd.",
        Tries::Made(|known| {
            let target = &known.target;
            let token = target.token()?;
            let (longer, behind) = (format!("{token}x"), format!("x{token}"));
            let (shorter, other) = (shorter(token), other_capitals(token));
            let sent = |what: &str, token| Try::new(what, delivery(known, token));
            let (mut before, mut after) = (
                sent("token in access_token, and more", Token::Query(token)),
                sent("more, and token in access_token", Token::Query(token)),
            );
            before.request.url = with_query(&before.request.url, "cenl", "test");
            after.request.url = with_query(&target.url, "cenl", "test");
            after.request.url = with_query(&after.request.url, "access_token", token);
            let basic = delivery(known, Token::None).with("authorization", "Basic eDp4");
            let mut tries = vec![
                before,
                after,
                sent("token in Authorization", Token::Header(token)),
                sent("token in access_token", Token::Query(token)),
                sent("no token", Token::None),
                Try::new("Basic in Authorization", basic),
                Try {
                    before: Some(target.structured("")),
                    times: 2,
                    ..sent("no token, on the connection of one with it", Token::None)
                },
                sent(
                    "token behind a letter in Authorization",
                    Token::Header(&behind),
                ),
            ];
            let modes = [
                (known.needs_binary(), "binary", target.binary(&[], TEST)),
                (known.needs_batch(), "in a batch", target.batch(&[""])),
            ];
            for (_, mode, request) in modes.into_iter().filter(|(needs, ..)| needs.is_ok()) {
                let request = request.without("authorization");
                let none = Try::new(format!("no token, {mode}"), request);
                let mut wrong = none.clone();
                wrong.what = format!("wrong token in access_token, {mode}");
                wrong.request.url = with_query(&target.url, "access_token", WRONG);
                tries.extend([none, wrong]);
            }
            let mut wrong = vec![
                ("wrong token", WRONG),
                ("token and a letter more", &*longer),
                ("empty token", ""),
            ];
            // An answer may repeat it, and what is shorter than that is not masked there.
            if shorter.len() >= SHORTEST_SECRET {
                wrong.push(("token without its last letter", shorter));
            }
            // One in hexadecimal digits, such as a UUID, may be compared as bytes.
            let is_digit = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
            let is_hex = token.bytes().all(is_digit);
            if other != token && !is_hex {
                wrong.push(("token in other capitals", &*other));
            }
            for (what, token) in wrong {
                let ways = [
                    ("Authorization", Token::Header(token)),
                    ("access_token", Token::Query(token)),
                ];
                tries.extend(ways.map(|(way, token)| sent(&format!("{what} in {way}"), token)));
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

const WITH_COOKIE: &str = "with the cookie of that answer";

fn both_ways(_: &Known, seen: &[Seen]) -> Shown {
    let Some((right, wrong)) = seen.split_first_chunk::<4>() else {
        return nothing("no answers", "geen antwoorden");
    };
    if !right.iter().any(Seen::is_accepted) {
        return nothing(
            "the token is accepted in no way, which may be the token's fault",
            "het token wordt op geen enkele manier aangenomen; dat kan aan het token liggen",
        );
    }
    let [before, after, alone @ ..] = right;
    // Any other status may be for the parameter that it does not know.
    let is_unauthorized = |seen: &&Seen| matches!(seen.status(), Some(401 | 403));
    let beside = [before, after].into_iter().filter(is_unauthorized);
    let refused = alone.iter().filter(|seen| !seen.is_accepted());
    let refused = beside.chain(refused);
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
