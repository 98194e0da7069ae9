use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-AUTH-5",
    en: Texts {
        title: "No `Bearer` with a token in `Authorization`",
        explanation: "An OAuth 2.0 bearer token is sent with the scheme `Bearer`. Reported for a token without a scheme, for schemes that stand in for it, such as `Token`, for two headers `Authorization`, and for what is no token: with quotes or letters beyond ASCII in it, behind `Bearer` twice, or `undefined`. Other token schemes may be used.",
        why: "Gateways take out the token by its scheme. They see no token here, and answer 401 before the target sees the event.",
        fix: "Write `Authorization: Bearer`, a space and the token.",
    },
    nl: Texts {
        title: "Geen `Bearer` met een token in `Authorization`",
        explanation: "Een OAuth 2.0-token van het type bearer wordt verstuurd met het schema `Bearer`. Gemeld bij een token zonder schema, bij schema’s die ervoor in de plaats komen, zoals `Token`, bij twee headers `Authorization`, en bij wat geen token is: met aanhalingstekens of letters buiten ASCII erin, achter tweemaal `Bearer`, of `undefined`. Andere tokenschema’s mogen.",
        why: "Gateways herkennen het token aan het schema. Hier zien zij geen token en antwoorden met 401, voordat de ontvanger de gebeurtenis ziet.",
        fix: "Schrijf `Authorization: Bearer`, een spatie en het token.",
    },
    good: super::DELIVERY,
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Token abc\n→ 401",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(check),
};

/// What senders write where `Bearer` belongs.
const STAND_INS: [&str; 6] = ["Token", "OAuth", "OAuth2", "JWT", "access_token", "Bearer:"];

/// What they write for a token that is not there.
const NO_TOKENS: [&str; 4] = ["undefined", "null", "none", "[object object]"];

fn check(exchange: &Exchange, found: &mut Found<'_>) {
    let request = &exchange.request;
    let authorization = request.header("Authorization").unwrap_or_default();
    let is_at_fault = match authorization.split_once(' ') {
        _ if request.headers_named("Authorization").nth(1).is_some() => true,
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("Bearer") => {
            is_no_token(token.trim_ascii_start())
        }
        Some((scheme, _)) => STAND_INS
            .iter()
            .any(|stand_in| scheme.eq_ignore_ascii_case(stand_in)),
        // Without a token it is HOOK-AUTH-1's.
        None => !authorization.is_empty() && !authorization.eq_ignore_ascii_case("Bearer"),
    };
    if is_at_fault {
        found.header_of(request, "Authorization");
    }
}

/// No token holds a quote, a space or a letter beyond ASCII (RFC 6750, 2.1). Other signs may be a mask.
fn is_no_token(token: &str) -> bool {
    let is_odd = |letter: char| letter == '"' || !letter.is_ascii() && letter.is_alphabetic();
    let again = token.split_once(' ').map(|(again, _)| again);
    again.is_some_and(|again| again.eq_ignore_ascii_case("Bearer"))
        || token.contains(is_odd)
        || NO_TOKENS.iter().any(|no| no.eq_ignore_ascii_case(token))
}
