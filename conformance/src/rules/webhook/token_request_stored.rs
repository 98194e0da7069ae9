use crate::grammar::query::has_token;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-AUTH-7",
    en: Texts {
        title: "Token in the query without `Cache-Control: no-store`",
        explanation: "A delivery with its token in the query has `Cache-Control: no-store`.",
        why: "Caches on the way keep what they see together with its URL, and so keep the token.",
        fix: "Add `Cache-Control: no-store`, or send the token in `Authorization`.",
    },
    nl: Texts {
        title: "Token in de query zonder `Cache-Control: no-store`",
        explanation: "Een aflevering met het token in de query heeft `Cache-Control: no-store`.",
        why: "Caches onderweg bewaren wat langskomt samen met de URL, en daarmee het token.",
        fix: "Voeg `Cache-Control: no-store` toe, of stuur het token in `Authorization`.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook?access_token=abc\nContent-Type: application/cloudevents+json\nCache-Control: no-store\n→ 204\nCache-Control: private",
    ),
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook?access_token=abc\nContent-Type: application/cloudevents+json\n→ 204\nCache-Control: private",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        let mut directives = request.list("Cache-Control");
        if request.target.as_deref().is_some_and(has_token)
            && !directives.any(|directive| directive.eq_ignore_ascii_case("no-store"))
        {
            found.header_of(request, "Cache-Control");
        }
    }),
};
