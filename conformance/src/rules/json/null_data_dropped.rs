use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-DATA-9",
    en: Texts {
        title: "`data` with null taken for no data",
        explanation: "With a JSON content type `data` may be null. That is a payload, the JSON value null, and differs from an event without `data`.",
        why: "On Kafka the difference decides over data: in binary mode an event without data is a tombstone, which deletes the key on a compacted topic.",
        fix: "Keep `data: null` as the four characters `null`.",
    },
    nl: Texts {
        title: "`data` met null opgevat als geen data",
        explanation: "Met JSON als content type mag `data` null zijn. Dat is inhoud, namelijk de JSON-waarde null, en iets anders dan een gebeurtenis zonder `data`.",
        why: "Op Kafka beslist dit verschil over gegevens: in binaire modus is een gebeurtenis zonder data een tombstone, die op een topic met log compaction de sleutel wist.",
        fix: "Bewaar `data: null` als de vier tekens `null`.",
    },
    good: Example::Event(r#""datacontenttype":"application/json","data":null"#),
    applies: Applies::Json,
    ..ACCEPTANCE
};
