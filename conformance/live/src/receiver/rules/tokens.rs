//! Tokens, in the two ways of passing one.

use cloudevents_nl_conformance::Shown;
use serde_json::Value;

use super::scenario;
use crate::client::Request;
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try};
use crate::receiver::target::{STRUCTURED, Token, other_capitals, shorter, with_query};
use crate::record::SHORTEST_SECRET;
use crate::shown::{by, nothing};

/// Nobody gave out this one.
const WRONG: &str = "cenl-conformance-wrong-token";

/// A plain event that is authorized so.
pub(super) fn delivery(known: &Known, token: Token<'_>) -> Request {
    let event = known.target.event("");
    let request = known
        .target
        .post_with(token)
        .with("content-type", STRUCTURED);
    request.with_body(Value::Object(event).to_string())
}

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
            let is_hex = token
                .bytes()
                .all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
            if other != token && !is_hex {
                ways.push(("token in other capitals", Token::Header(&other)));
            }
            let tries = ways
                .into_iter()
                .map(|(what, token)| Try::new(what, delivery(known, token)));
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
];

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
