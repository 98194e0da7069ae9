use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-AUTH-1",
    en: Texts {
        title: "`authtype` is not one of the defined values",
        explanation: "`authtype` is `app_user`, `user`, `service_account`, `api_key`, `system`, `unauthenticated` or `unknown`.",
        why: "Consumers see by `authtype` whether a person or a system acted. A word of your own, such as `burger`, tells them nothing.",
        fix: "Write `app_user` for a citizen in an application, `system` for an automatic process, and `unknown` if you do not know.",
    },
    nl: Texts {
        title: "`authtype` is geen van de gedefinieerde waarden",
        explanation: "`authtype` is `app_user`, `user`, `service_account`, `api_key`, `system`, `unauthenticated` of `unknown`.",
        why: "Afnemers zien aan `authtype` of een persoon of een systeem handelde. Een eigen woord, zoals `burger`, zegt hun niets.",
        fix: "Schrijf `app_user` voor een burger in een applicatie, `system` voor een automatisch proces en `unknown` als het niet bekend is.",
    },
    good: Example::Event(r#""authtype":"user""#),
    bad: Example::Event(r#""authtype":"burger""#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        found.all(event.failing("authtype", |authtype| TYPES.contains(&authtype)));
    }),
};

const TYPES: [&str; 7] = [
    "app_user",
    "user",
    "service_account",
    "api_key",
    "system",
    "unauthenticated",
    "unknown",
];
