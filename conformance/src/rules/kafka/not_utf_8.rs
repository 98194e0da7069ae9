use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "KAFKA-BIN-4",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "Kafka binding 1.0.1/1.0.2, 3.2.3",
    title: Text {
        en: "Header value that is not UTF-8",
        nl: "Headerwaarde die geen UTF-8 is",
    },
    explanation: Text {
        en: "Names and values of headers are UTF-8 text. Kafka carries every character as it is, so nothing is percent-encoded.",
        nl: "Namen en waarden van headers zijn UTF-8-tekst. Kafka vervoert elk teken zoals het is, zonder procentcodes.",
    },
    why: Text {
        en: "A consumer cannot make text of the bytes and refuses the event. One that guesses a charset sees another text.",
        nl: "Een afnemer kan van de bytes geen tekst maken en weigert de gebeurtenis. Een afnemer die een tekenset raadt, ziet andere tekst.",
    },
    fix: Text {
        en: "Write the text as UTF-8, and without the percent codes of HTTP and NATS.",
        nl: "Schrijf de tekst als UTF-8, zonder de procentcodes van HTTP en NATS.",
    },
    good: Example::Message(Protocol::Kafka, "ce_subject: Súdwest-Fryslân"),
    bad: Example::Message(Protocol::Kafka, r#"ce_subject: \xFF\xFE"#),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Kafka, Mode::Binary),
    check: crate::rules::http::decoded_not_utf_8::RULE.check,
};
