use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-AUTH-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 3",
    title: Text {
        en: "Delivery without a token",
        nl: "Aflevering zonder token",
    },
    explanation: Text {
        en: "Every delivery carries a token: in the header `Authorization`, or as the query parameter `access_token`.",
        nl: "Elke aflevering bevat een token: in de header `Authorization` of als parameter `access_token` in de query.",
    },
    why: Text {
        en: "A target without a token to look at has to accept events from anybody who knows its address, or refuse them all.",
        nl: "Een ontvanger die geen token krijgt, moet gebeurtenissen aannemen van iedereen die het adres kent, of alles weigeren.",
    },
    fix: Text {
        en: "Send `Authorization: Bearer` and the token that the target has issued.",
        nl: "Stuur `Authorization: Bearer` mee met het token dat de ontvanger heeft uitgegeven.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 204",
    ),
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
