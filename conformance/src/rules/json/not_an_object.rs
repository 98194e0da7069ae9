use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-ENV-1",
    en: Texts {
        title: "Event is not a JSON object",
        explanation: "One event is one JSON object; an array of events is a batch, with a media type of its own.",
        why: "A receiver of single events finds no attributes in it and refuses the message.",
        fix: "Send one object per message, or announce a batch as `application/cloudevents-batch+json`.",
    },
    nl: Texts {
        title: "Gebeurtenis is geen JSON-object",
        explanation: "Eén gebeurtenis is één JSON-object. Een lijst van gebeurtenissen is een batch en heeft een eigen mediatype.",
        why: "Een ontvanger van losse gebeurtenissen vindt er geen attributen in en weigert het bericht.",
        fix: "Verstuur één object per bericht, of kondig een batch aan als `application/cloudevents-batch+json`.",
    },
    good: Example::Event(""),
    bad: Example::Text(b"[]"),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Message(|reading, found| {
        for unreadable in &reading.unreadable {
            if let Unreadable::NotAnObject { at, element, .. } = *unreadable {
                found.in_element(element).body(at);
            }
        }
    }),
};
