use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "JSON-ENV-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "JSON event format 1.0.1/1.0.2, 3 Envelope",
    title: Text {
        en: "Event is not a JSON object",
        nl: "Gebeurtenis is geen JSON-object",
    },
    explanation: Text {
        en: "One event is one JSON object; an array of events is a batch, with a media type of its own.",
        nl: "Eén gebeurtenis is één JSON-object. Een lijst van gebeurtenissen is een batch en heeft een eigen mediatype.",
    },
    why: Text {
        en: "A receiver of single events finds no attributes in it and refuses the message.",
        nl: "Een ontvanger van losse gebeurtenissen vindt er geen attributen in en weigert het bericht.",
    },
    fix: Text {
        en: "Send one object per message, or announce a batch as `application/cloudevents-batch+json`.",
        nl: "Verstuur één object per bericht, of kondig een batch aan als `application/cloudevents-batch+json`.",
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
