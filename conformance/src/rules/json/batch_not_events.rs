use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-BATCH-1",
    en: Texts {
        title: "Batch is not an array of events",
        explanation: "A batch is one JSON array, and each element is a complete event in the JSON format. What is wrong within an element is reported by the rule about it.",
        why: "A receiver cannot split the batch into events and refuses all of it, the good events included.",
        fix: "Put the events in one array, also when there is only one.",
    },
    nl: Texts {
        title: "Batch is geen lijst van gebeurtenissen",
        explanation: "Een batch is één JSON-lijst, en elk element is een volledige gebeurtenis in het JSON-formaat. Wat er binnen een element niet klopt, meldt de regel daarover.",
        why: "Een ontvanger kan de batch niet splitsen in gebeurtenissen en weigert het geheel, ook de goede gebeurtenissen.",
        fix: "Zet de gebeurtenissen in één lijst, ook als het er maar één is.",
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
