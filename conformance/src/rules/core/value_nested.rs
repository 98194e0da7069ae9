use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "CE-TYPES-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "CloudEvents core 1.0.1/1.0.2, Type System",
    title: Text {
        en: "List or object as an attribute",
        nl: "Lijst of object als attribuut",
    },
    explanation: Text {
        en: "An attribute is a boolean, a whole number or text; text also stands for bytes, a URI or a moment. Lists and objects are no attributes. A number with a fraction is reported by JSON-TYPE-2.",
        nl: "Een attribuut is een boolean, een geheel getal of tekst. Ook bytes, een URI of een tijdstip worden als tekst geschreven. Lijsten en objecten zijn geen attributen. Een getal met decimalen wordt gemeld door JSON-TYPE-2.",
    },
    why: Text {
        en: "A header cannot hold a list or an object. Such an event could not be passed on over Kafka, NATS or HTTP in binary mode, so receivers refuse it.",
        nl: "Een lijst of object past niet in een header. Zo’n gebeurtenis is in binaire modus niet door te geven via Kafka, NATS of HTTP, en ontvangers weigeren haar daarom.",
    },
    fix: Text {
        en: "Move the value into the data, or give each part an attribute of its own.",
        nl: "Verplaats de waarde naar de data, of geef elk onderdeel een eigen attribuut.",
    },
    good: Example::Event(r#""ext":"a""#),
    bad: Example::Event(r#""ext":["a"]"#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(|event, found| {
        found.all(
            event
                .set()
                .filter(|attribute| matches!(attribute.value, Value::Nested(_))),
        );
    }),
};
