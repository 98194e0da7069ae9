use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HOOK-REQ-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Web Hooks for Event Delivery 1.0.1/1.0.2, 2.1",
    title: Text {
        en: "Delivery with another method than POST",
        nl: "Aflevering met een andere methode dan POST",
    },
    explanation: Text {
        en: "An event is delivered with the method `POST`. Names of methods are case-sensitive, so `post` is another method.",
        nl: "Een gebeurtenis wordt afgeleverd met de methode `POST`. Methoden zijn hoofdlettergevoelig: `post` is een andere methode.",
    },
    why: Text {
        en: "Targets accept deliveries on POST alone and answer 405; a proxy may repeat a PUT, and the event then arrives twice.",
        nl: "Ontvangers accepteren afleveringen alleen met POST en antwoorden anders met 405. Een proxy mag een PUT herhalen, en dan komt de gebeurtenis dubbel aan.",
    },
    fix: Text {
        en: "Send every delivery as `POST`.",
        nl: "Verstuur elke aflevering als `POST`.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 204",
    ),
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
