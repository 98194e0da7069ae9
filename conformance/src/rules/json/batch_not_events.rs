use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "JSON-BATCH-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "JSON event format 1.0.1/1.0.2, 4.1",
    title: Text {
        en: "Batch is not an array of events",
        nl: "Batch is geen lijst van gebeurtenissen",
    },
    explanation: Text {
        en: "A batch is one JSON array, and each element is a complete event in the JSON format. What is wrong within an element is reported by the rule about it.",
        nl: "Een batch is één JSON-lijst, en elk element is een volledige gebeurtenis in het JSON-formaat. Wat er binnen een element niet klopt, meldt de regel daarover.",
    },
    why: Text {
        en: "A receiver cannot split the batch into events and refuses all of it, the good events included.",
        nl: "Een ontvanger kan de batch niet splitsen in gebeurtenissen en weigert het geheel, ook de goede gebeurtenissen.",
    },
    fix: Text {
        en: "Put the events in one array, also when there is only one.",
        nl: "Zet de gebeurtenissen in één lijst, ook als het er maar één is.",
    },
    good: Example::Batch(
        r#"[{"specversion":"1.0","id":"1","source":"urn:nld:kvknr:09220932.zaken","type":"nl.brp.persoon-verhuisd"}]"#,
    ),
    bad: Example::Batch(
        r#"{"specversion":"1.0","id":"1","source":"urn:nld:kvknr:09220932.zaken","type":"nl.brp.persoon-verhuisd"}"#,
    ),
    decode: Decode::Refuse,
    applies: Applies::Batch,
    check: Check::Message(|reading, found| {
        for unreadable in &reading.unreadable {
            match *unreadable {
                Unreadable::NotAnArray { at } => found.body(at),
                Unreadable::NotAnObject { at, element, .. } => found.in_element(element).body(at),
                Unreadable::Json(_) => {}
            }
        }
    }),
};
