use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-RESP-3",
    en: Texts {
        title: "Response body without status 200 or 201, or without `Content-Type`",
        explanation: "A target that has processed an event and answers with a body uses status 200 or 201, and names the type of the body in `Content-Type`.",
        why: "Clients do not read a body after 204, so it is taken for the beginning of the next answer on that connection; a body without a type cannot be logged or shown.",
        fix: "Answer 200 with `Content-Type`, or leave the body out and answer 204.",
    },
    nl: Texts {
        title: "Inhoud in het antwoord zonder status 200 of 201, of zonder `Content-Type`",
        explanation: "Een ontvanger die een gebeurtenis heeft verwerkt en met inhoud antwoordt, gebruikt status 200 of 201 en noemt het type in `Content-Type`.",
        why: "Na 204 leest een client geen inhoud. Die wordt dan opgevat als het begin van het volgende antwoord op die verbinding. Inhoud zonder type is niet vast te leggen of te tonen.",
        fix: "Antwoord met 200 en een `Content-Type`, of laat de inhoud weg en antwoord met 204.",
    },
    good: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 200\nContent-Type: application/json\n\n{}",
    ),
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 200\n\n{}",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(check),
};

fn check(exchange: &Exchange, found: &mut Found<'_>) {
    let response = &exchange.response;
    let length = response.header("Content-Length");
    let announces = length.is_some_and(|length| length.parse().is_ok_and(|length: u64| length > 0));
    // Clients drop what follows 204, and keep what it announces.
    if response.body().is_empty() && !(response.status == Some(204) && announces) {
        return;
    }
    let has_type = response
        .header("Content-Type")
        .is_some_and(|content_type| !content_type.is_empty());
    match response.status {
        Some(200 | 201) if !has_type => {
            found.in_response().header_of(response, "Content-Type");
        }
        Some(203..=299) => found.in_response().status(response),
        _ => {}
    }
}
