use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-AUTH-1",
    en: Texts {
        title: "Delivery without a token",
        explanation: "Every delivery carries a token: in the header `Authorization`, or as the query parameter `access_token`.",
        why: "A target without a token to look at has to accept events from anybody who knows its address, or refuse them all.",
        fix: "Send `Authorization: Bearer` and the token that the target has issued.",
    },
    nl: Texts {
        title: "Aflevering zonder token",
        explanation: "Elke aflevering bevat een token: in de header `Authorization` of als parameter `access_token` in de query.",
        why: "Een ontvanger die geen token krijgt, moet gebeurtenissen aannemen van iedereen die het adres kent, of alles weigeren.",
        fix: "Stuur `Authorization: Bearer` mee met het token dat de ontvanger heeft uitgegeven.",
    },
    good: super::DELIVERY,
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\n→ 401",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        if !request.has_token() {
            found.header_of(request, "Authorization");
        }
    }),
};
