use crate::grammar::query::has_token;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-AUTH-8",
    en: Texts {
        title: "Answer to a token in the query without `Cache-Control: private`",
        explanation: "A 2xx answer to a delivery with its token in the query has `Cache-Control: private`.",
        why: "A shared cache may otherwise keep the answer under a URL that holds the token, where others can find both.",
        fix: "Add `Cache-Control: private` to these answers.",
    },
    nl: Texts {
        title: "Antwoord op een token in de query zonder `Cache-Control: private`",
        explanation: "Een antwoord 2xx op een aflevering met het token in de query heeft `Cache-Control: private`.",
        why: "Een gedeelde cache mag het antwoord anders bewaren onder een URL met het token erin. Anderen kunnen dan bij beide.",
        fix: "Voeg `Cache-Control: private` toe aan deze antwoorden.",
    },
    good: super::token_request_stored::RULE.good,
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook?access_token=abc\nContent-Type: application/cloudevents+json\nCache-Control: no-store\n→ 204\nCache-Control: public",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        let (request, response) = (&exchange.request, &exchange.response);
        let mut directives = response.list("Cache-Control");
        if request.target.as_deref().is_some_and(has_token)
            && matches!(response.status, Some(200..=299))
            && !directives.any(|directive| directive.eq_ignore_ascii_case("private"))
        {
            found.in_response().header_of(response, "Cache-Control");
        }
    }),
};
