use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "KAFKA-BIN-4",
    en: Texts {
        title: "Header value that is not UTF-8",
        explanation: "Names and values of headers are UTF-8 text. Kafka carries every character as it is, so nothing is percent-encoded.",
        why: "A consumer cannot make text of the bytes and refuses the event. One that guesses a charset sees another text.",
        fix: "Write the text as UTF-8, and without the percent codes of HTTP and NATS.",
    },
    nl: Texts {
        title: "Headerwaarde die geen UTF-8 is",
        explanation: "Namen en waarden van headers zijn UTF-8-tekst. Kafka vervoert elk teken zoals het is, zonder procentcodes.",
        why: "Een afnemer kan van de bytes geen tekst maken en weigert de gebeurtenis. Een afnemer die een tekenset raadt, ziet andere tekst.",
        fix: "Schrijf de tekst als UTF-8, zonder de procentcodes van HTTP en NATS.",
    },
    good: Example::Message(Protocol::Kafka, "ce_subject: Súdwest-Fryslân"),
    bad: Example::Message(Protocol::Kafka, r#"ce_subject: \xFF\xFE"#),
    decode: Decode::Refuse,
    applies: Applies::In(Protocol::Kafka, Mode::Binary),
    check: crate::rules::http::decoded_not_utf_8::RULE.check,
};
