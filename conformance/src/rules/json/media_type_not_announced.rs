use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-ENV-2",
    en: Texts {
        title: "Event announced with a wrong media type",
        explanation: "The media type of one event in the JSON format is `application/cloudevents+json`. Reported where the content type is another and the body is an event, and where it stops at `application/cloudevents` and names no format.",
        why: "Receivers choose by the media type. They do not recognise the event, or refuse it because the format is not named.",
        fix: "Announce the event as `application/cloudevents+json`.",
    },
    nl: Texts {
        title: "Gebeurtenis aangekondigd met een verkeerd mediatype",
        explanation: "Het mediatype van één gebeurtenis in het JSON-formaat is `application/cloudevents+json`. Gemeld als er een ander content type staat terwijl de body een gebeurtenis is, en als het ophoudt bij `application/cloudevents` en geen formaat noemt.",
        why: "Ontvangers kiezen aan de hand van het mediatype. Ze herkennen de gebeurtenis niet, of weigeren die omdat het formaat ontbreekt.",
        fix: "Kondig de gebeurtenis aan als `application/cloudevents+json`.",
    },
    good: Example::Message(
        Protocol::Http,
        "content-type: application/cloudevents+json; charset=UTF-8\n\n{\"specversion\":\"1.0\",\"id\":\"1\",\"source\":\"urn:nld:kvknr:09220932.zaken\",\"type\":\"nl.brp.persoon-verhuisd\"}",
    ),
    bad: crate::rules::http::event_under_other_type::RULE.bad,
    decode: Decode::Accept,
    applies: Applies::Any,
    check: Check::Message(|reading, found| {
        let is_unannounced = reading.is_unannounced();
        let is_at_fault = |header: &&Header| {
            is_unannounced || reading.mode == Mode::Structured && names_no_format(header)
        };
        let mut headers = reading.capture.headers_named("content-type");
        if let Some(header) = headers.find(is_at_fault) {
            found.header(header);
        }
    }),
};

fn names_no_format(header: &Header) -> bool {
    let value = String::from_utf8_lossy(header.value.as_deref().unwrap_or_default());
    let essence = value.split(';').next().unwrap_or_default().trim_ascii();
    essence.eq_ignore_ascii_case("application/cloudevents")
}
