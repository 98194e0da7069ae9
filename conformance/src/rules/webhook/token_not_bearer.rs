use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-AUTH-5",
    en: Texts {
        title: "Token in `Authorization` without the scheme `Bearer`",
        explanation: "An OAuth 2.0 bearer token is sent with the scheme `Bearer`. Reported for a token without a scheme, for schemes that stand in for it, such as `Token`, and for a token in quotes or behind `Bearer` twice; other token schemes may be used.",
        why: "Gateways take out the token by its scheme. They see no token here, and answer 401 before the target sees the event.",
        fix: "Write `Authorization: Bearer`, a space and the token.",
    },
    nl: Texts {
        title: "Token in `Authorization` zonder het schema `Bearer`",
        explanation: "Een OAuth 2.0-token van het type bearer wordt verstuurd met het schema `Bearer`. Gemeld bij een token zonder schema, bij schema’s die ervoor in de plaats komen, zoals `Token`, en bij een token tussen aanhalingstekens of achter tweemaal `Bearer`. Andere tokenschema’s mogen.",
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

fn check(exchange: &Exchange, found: &mut Found<'_>) {
    let request = &exchange.request;
    let authorization = request.header("Authorization").unwrap_or_default();
    let is_stand_in = match authorization.split_once(' ') {
        // No token holds a quote or a space (RFC 6750, 2.1).
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("Bearer") => {
            let again = token.split_once(' ').map(|(again, _)| again);
            token.starts_with('"') || again.is_some_and(|again| again.eq_ignore_ascii_case(scheme))
        }
        Some((scheme, _)) => STAND_INS
            .iter()
            .any(|stand_in| scheme.eq_ignore_ascii_case(stand_in)),
        // Without a token it is HOOK-AUTH-1's.
        None => !authorization.is_empty() && !authorization.eq_ignore_ascii_case("Bearer"),
    };
    if is_stand_in {
        found.header_of(request, "Authorization");
    }
}
