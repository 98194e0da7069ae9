//! Tokens, in the two ways of passing one.

use cloudevents_nl_conformance::Shown;
use serde_json::Value;

use super::scenario;
use crate::client::Request;
use crate::receiver::scenario::{Known, Scenario, Seen, Tries, Try};
use crate::receiver::target::{STRUCTURED, Token};
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
        "Sends the token in the header and in the query, which must be accepted, and none, a wrong one and one with a letter more, which must not.",
        "Stuurt het token in de header en in de query, wat moet worden aangenomen, en geen token, een verkeerd en een met een letter meer, wat niet mag worden aangenomen.",
        Tries::Made(|known| {
            let token = known.target.token()?;
            let longer = format!("{token}x");
            let ways = [
                ("token in Authorization", Token::Header(token)),
                ("token in access_token", Token::Query(token)),
                ("no token", Token::None),
                ("wrong token in Authorization", Token::Header(WRONG)),
                ("wrong token in access_token", Token::Query(WRONG)),
                ("token and a letter more", Token::Header(&longer)),
            ];
            let tries = ways.map(|(what, token)| Try::new(what, delivery(known, token)));
            Ok(tries.into())
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
    let Some((right, wrong)) = seen.split_first_chunk::<2>() else {
        return nothing("no answers", "geen antwoorden");
    };
    if !right.iter().any(Seen::is_accepted) {
        return nothing(
            "the token is accepted in neither way, which may be the token's fault",
            "het token wordt op geen van beide manieren aangenomen; dat kan aan het token liggen",
        );
    }
    let refused = right.iter().filter(|seen| !seen.is_accepted());
    let passed = wrong.iter().filter(|seen| seen.is_accepted());
    by(refused.chain(passed).map(Seen::evidence))
}
