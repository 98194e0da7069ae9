use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-REQ-2",
    en: Texts {
        title: "Delivery without a body or without `Content-Type`",
        explanation: "A delivery has a body that is not empty, and a `Content-Type` that says what it is. An event without data can therefore not be delivered in binary mode.",
        why: "Targets may refuse a request without a body before they look at its headers, and without a type they cannot tell what they received.",
        fix: "Deliver in structured mode, with `Content-Type: application/cloudevents+json`.",
    },
    nl: Texts {
        title: "Aflevering zonder inhoud of zonder `Content-Type`",
        explanation: "Een aflevering heeft een inhoud die niet leeg is, en een `Content-Type` die zegt wat het is. Een gebeurtenis zonder data kan dus niet in binaire modus worden afgeleverd.",
        why: "Ontvangers mogen een verzoek zonder inhoud weigeren voordat zij naar de headers kijken. Zonder type weten zij niet wat zij hebben ontvangen.",
        fix: "Lever af in gestructureerde modus, met `Content-Type: application/cloudevents+json`.",
    },
    good: super::DELIVERY,
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook\nAuthorization: Bearer abc\nce-specversion: 1.0\nce-id: doc2021033441\nce-source: urn:nld:oin:00000001823288444000:systeem:BRP-component\nce-type: nl.brp.persoon-verhuisd\n\n\n→ 204",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(|exchange, found| {
        let request = &exchange.request;
        if request.header("Content-Type").is_none_or(str::is_empty) {
            found.header_of(request, "Content-Type");
        }
        if request.body().is_empty() {
            found.body(0);
        }
    }),
};
