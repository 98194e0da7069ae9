use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "CE-TYPES-1",
    en: Texts {
        title: "List or object as an attribute",
        explanation: "An attribute is a boolean, a whole number or text; text also stands for bytes, a URI or a moment. Lists and objects are no attributes. A number with a fraction is reported by JSON-TYPE-2.",
        why: "A header cannot hold a list or an object. Such an event could not be passed on over Kafka, NATS or HTTP in binary mode, so receivers refuse it.",
        fix: "Move the value into the data, or give each part an attribute of its own.",
    },
    nl: Texts {
        title: "Lijst of object als attribuut",
        explanation: "Een attribuut is een boolean, een geheel getal of tekst. Ook bytes, een URI of een tijdstip worden als tekst geschreven. Lijsten en objecten zijn geen attributen. Een getal met decimalen wordt gemeld door JSON-TYPE-2.",
        why: "Een lijst of object past niet in een header. Zo’n gebeurtenis is in binaire modus niet door te geven via Kafka, NATS of HTTP, en ontvangers weigeren die daarom.",
        fix: "Verplaats de waarde naar de data, of geef elk onderdeel een eigen attribuut.",
    },
    good: Example::Event(r#""ext":"a""#),
    bad: Example::Event(r#""ext":["a"]"#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: crate::rules::json::nested_attribute::RULE.check,
};
