use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-TLS-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 2.1",
    title: Text {
        en: "Delivery over plain HTTP",
        nl: "Aflevering via HTTP zonder TLS",
    },
    explanation: Text {
        en: "Deliveries go over HTTPS. Judged on recorded exchanges, where the target is a whole URL.",
        nl: "Afleveringen gaan via HTTPS. Beoordeeld op een vastgelegd verzoek, als daarin de hele URL staat.",
    },
    why: Text {
        en: "Token and data are readable for everybody between sender and target, and whoever reads the token can send events with it.",
        nl: "Token en data zijn leesbaar voor iedereen tussen afzender en ontvanger. Wie het token leest, kan er zelf gebeurtenissen mee versturen.",
    },
    fix: Text {
        en: "Register an `https://` address, and refuse to deliver to any other.",
        nl: "Registreer een adres met `https://` en lever niet af op een ander adres.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 204",
    ),
    bad: Example::Delivery(
        "POST http://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 204",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        let target = exchange.request.target.as_deref().unwrap_or_default();
        // A path alone does not tell what it came over.
        if target
            .get(..5)
            .is_some_and(|scheme| scheme.eq_ignore_ascii_case("http:"))
        {
            found.target(&exchange.request);
        }
    }),
};
