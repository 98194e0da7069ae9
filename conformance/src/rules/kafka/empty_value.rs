use crate::grammar::media_type::is_json;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-BIN-6",
    en: Texts {
        title: "Record value of zero bytes for an event without data",
        explanation: "In binary mode an event without data is a record with a null value; zero bytes are empty data. Reported where the value is empty and the content type is missing or JSON, which zero bytes are not.",
        why: "On a compacted topic a null value deletes the key, and an empty one does not: old records stay.",
        fix: "Publish a null value where the event has no data; give empty text its content type.",
    },
    nl: Texts {
        title: "Recordwaarde van nul bytes voor een gebeurtenis zonder data",
        explanation: "In binaire modus is een gebeurtenis zonder data een record met de waarde null; nul bytes is lege data. Gemeld als de waarde leeg is en het content type ontbreekt of JSON is, want nul bytes zijn geen JSON.",
        why: "Op een topic met log compaction wist null de sleutel en een lege waarde niet: oude records blijven staan.",
        fix: "Publiceer de waarde null als de gebeurtenis geen data heeft. Geef lege tekst een content type.",
    },
    good: Example::Message(Protocol::Kafka, "ce_subject: a"),
    bad: Example::Message(Protocol::Kafka, "ce_subject: a\n\n"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Kafka, Mode::Binary),
    check: Check::Event(|event, found| {
        let may_be_empty = event
            .text("datacontenttype")
            .is_some_and(|text| !is_json(text));
        if event.body.is_some_and(<[u8]>::is_empty) && !may_be_empty {
            found.body(0);
        }
    }),
};
