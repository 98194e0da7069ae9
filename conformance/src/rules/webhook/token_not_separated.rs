use crate::grammar::query::has_token_run_together;
use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-AUTH-6",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 3.2",
    title: Text {
        en: "`access_token` not separated by `&` from another parameter",
        nl: "`access_token` niet met `&` gescheiden van een andere parameter",
    },
    explanation: Text {
        en: "In a query `&` separates `access_token` from other parameters.",
        nl: "In een query staat `&` tussen `access_token` en andere parameters.",
    },
    why: Text {
        en: "A target that separates at `&` alone reads `abc;p=q` as the token, or finds no token at all, and refuses the delivery.",
        nl: "Een ontvanger die alleen op `&` scheidt, leest `abc;p=q` als token of vindt helemaal geen token, en weigert de aflevering.",
    },
    fix: Text {
        en: "Write `?access_token=abc&p=q`, or better, send the token in `Authorization`.",
        nl: "Schrijf `?access_token=abc&p=q`, of liever: stuur het token in `Authorization`.",
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
