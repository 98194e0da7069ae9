use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HOOK-RESP-4",
    en: Texts {
        title: "Processed without a response body, and with another status than 201 or 204",
        explanation: "A target that has processed an event and answers without a body uses status 201 or 204. Of the other statuses of success only 202 is allowed, for an event that is accepted and not processed yet. Not judged where headers announce a body that was not recorded.",
        why: "A sender that follows the text expects a body and its type after 200, and knows no meaning of a status such as 205.",
        fix: "Answer 204, or 202 when the event is not processed yet.",
    },
    nl: Texts {
        title: "Verwerkt zonder inhoud in het antwoord, en met een andere status dan 201 of 204",
        explanation: "Een ontvanger die een gebeurtenis heeft verwerkt en zonder inhoud antwoordt, gebruikt status 201 of 204. Van de andere 2xx-statussen is alleen 202 toegestaan: aangenomen en nog niet verwerkt. Niet beoordeeld als headers een inhoud aankondigen die niet is vastgelegd.",
        why: "Een afzender die de tekst volgt, verwacht na 200 een inhoud met een type, en kent geen betekenis van een status als 205.",
        fix: "Antwoord met 204, of met 202 als de gebeurtenis nog niet is verwerkt.",
    },
    good: super::DELIVERY,
    bad: Example::Delivery(
        "POST https://ontvanger.example/hook\nContent-Type: application/cloudevents+json\nAuthorization: Bearer abc\n→ 200",
    ),
    decode: Decode::Accept,
    applies: Applies::Delivery,
    check: Check::Exchange(check),
};

fn check(exchange: &Exchange, found: &mut Found<'_>) {
    let response = &exchange.response;
    let announces = response.has("Transfer-Encoding")
        || response
            .header("Content-Length")
            .is_some_and(|length| length != "0");
    // The clause names two statuses, so that HTTP forbids a body after 205 does not make it a third.
    let is_other = matches!(response.status, Some(200 | 203 | 205..=299));
    if is_other && response.body().is_empty() && !announces {
        found.in_response().status(response);
    }
}
