use crate::grammar::query::has_token_run_together;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-AUTH-6",
    en: Texts {
        title: "`access_token` not separated by `&` from another parameter",
        explanation: "In a query `&` separates `access_token` from other parameters.",
        why: "A target that separates at `&` alone reads `abc;p=q` as the token, or finds no token at all, and refuses the delivery.",
        fix: "Write `?access_token=abc&p=q`, or better, send the token in `Authorization`.",
    },
    nl: Texts {
        title: "`access_token` niet met `&` gescheiden van een andere parameter",
        explanation: "In een query staat `&` tussen `access_token` en andere parameters.",
        why: "Een ontvanger die alleen op `&` scheidt, leest `abc;p=q` als token of vindt helemaal geen token, en weigert de aflevering.",
        fix: "Schrijf `?access_token=abc&p=q`, of liever: stuur het token in `Authorization`.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook?access_token=abc&p=q\nContent-Type: application/cloudevents+json\nCache-Control: no-store\n→ 204\nCache-Control: private",
    ),
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook?access_token=abc;p=q\nContent-Type: application/cloudevents+json\nCache-Control: no-store\n→ 401",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        let target = exchange.request.target.as_deref();
        if target.is_some_and(has_token_run_together) {
            found.target(&exchange.request);
        }
    }),
};
