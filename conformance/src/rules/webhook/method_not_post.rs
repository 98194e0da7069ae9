use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-REQ-1",
    en: Texts {
        title: "Delivery with another method than POST",
        explanation: "An event is delivered with the method `POST`. Names of methods are case-sensitive, so `post` is another method.",
        why: "Targets accept deliveries on POST alone and answer 405; a proxy may repeat a PUT, and the event then arrives twice.",
        fix: "Send every delivery as `POST`.",
    },
    nl: Texts {
        title: "Aflevering met een andere methode dan POST",
        explanation: "Een gebeurtenis wordt afgeleverd met de methode `POST`. Methoden zijn hoofdlettergevoelig: `post` is een andere methode.",
        why: "Ontvangers accepteren afleveringen alleen met POST en antwoorden anders met 405. Een proxy mag een PUT herhalen, en dan komt de gebeurtenis dubbel aan.",
        fix: "Verstuur elke aflevering als `POST`.",
    },
    good: super::DELIVERY,
    bad: Example::Delivery(
        "PUT https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 204",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        if request
            .method
            .as_deref()
            .is_some_and(|method| method != "POST")
        {
            found.method(request);
        }
    }),
};
