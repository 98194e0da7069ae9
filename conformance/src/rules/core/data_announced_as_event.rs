use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-DCT-4",
    en: Texts {
        title: "Data with content type `application/cloudevents…`",
        explanation: "An event does not give its own data a content type that begins with `application/cloudevents`.",
        why: "In binary mode on Kafka and HTTP that content type announces a structured message. The receiver then reads the inner event and never sees the outer one.",
        fix: "Give an event that travels as data the content type `application/json`, or one of its own.",
    },
    nl: Texts {
        title: "Data met content type `application/cloudevents…`",
        explanation: "Een gebeurtenis geeft de eigen data geen content type dat begint met `application/cloudevents`.",
        why: "In binaire modus kondigt dat content type bij Kafka en HTTP een gestructureerd bericht aan. De ontvanger leest dan de binnenste gebeurtenis en krijgt de buitenste nooit te zien.",
        fix: "Geef een gebeurtenis die als data meereist het content type `application/json`, of een eigen content type.",
    },
    good: Example::Event(r#""datacontenttype":"application/json","data":{"specversion":"1.0"}"#),
    bad: Example::Event(r#""datacontenttype":"application/cloudevents+json","data":{}"#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let announces = |content_type: &str| {
            let start = content_type.get(..ANNOUNCEMENT.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(ANNOUNCEMENT))
        };
        found.all(event.matching("datacontenttype", announces));
    }),
};

const ANNOUNCEMENT: &str = "application/cloudevents";
