use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-RESP-9",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 2.2",
    title: Text {
        en: "429 without `Retry-After`",
        nl: "429 zonder `Retry-After`",
    },
    explanation: Text {
        en: "A target that answers 429 says in `Retry-After` when the sender may deliver again, in seconds or as a date.",
        nl: "Een ontvanger die met 429 antwoordt, zegt in `Retry-After` wanneer de afzender weer mag afleveren: in seconden of als datum.",
    },
    why: Text {
        en: "Without it a sender has to guess: it comes back too soon and is refused again, or waits longer than needed while events pile up.",
        nl: "Zonder deze header moet de afzender gokken. Hij komt te vroeg terug en wordt opnieuw geweigerd, of wacht langer dan nodig terwijl gebeurtenissen zich ophopen.",
    },
    fix: Text {
        en: "Add `Retry-After: 30` to every answer 429, with the time that fits.",
        nl: "Voeg aan elk antwoord 429 een `Retry-After: 30` toe, met de tijd die past.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 429\nRetry-After: 30",
    ),
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 429",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        let response = &exchange.response;
        let is_told = response
            .header("Retry-After")
            .is_some_and(|when| !when.is_empty());
        if response.status == Some(429) && !is_told {
            found.in_response().header_of(response, "Retry-After");
        }
    }),
};
