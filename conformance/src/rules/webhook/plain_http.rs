use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-TLS-1",
    en: Texts {
        title: "Delivery over plain HTTP",
        explanation: "Deliveries go over HTTPS. Judged on recorded exchanges, where the target is a whole URL.",
        why: "Token and data are readable for everybody between sender and target, and whoever reads the token can send events with it.",
        fix: "Register an `https://` address, and refuse to deliver to any other.",
    },
    nl: Texts {
        title: "Aflevering via HTTP zonder TLS",
        explanation: "Afleveringen gaan via HTTPS. Beoordeeld op een vastgelegd verzoek, als daarin de hele URL staat.",
        why: "Token en data zijn leesbaar voor iedereen tussen afzender en ontvanger. Wie het token leest, kan er zelf gebeurtenissen mee versturen.",
        fix: "Registreer een adres met `https://` en lever niet af op een ander adres.",
    },
    good: super::DELIVERY,
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
