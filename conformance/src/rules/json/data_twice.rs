use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-DATA-3",
    en: Texts {
        title: "Both `data` and `data_base64`",
        explanation: "An event has `data` or `data_base64`, or neither, but never both. A `data_base64` that is null counts as absent; a `data` that is null does not.",
        why: "One reader takes the one and another the other, so they process different content. Most refuse the event.",
        fix: "Send bytes in `data_base64` and everything else in `data`, and leave the other member out.",
    },
    nl: Texts {
        title: "Zowel `data` als `data_base64`",
        explanation: "Een gebeurtenis heeft `data` of `data_base64`, of geen van beide, maar nooit allebei. Een `data_base64` met null telt als afwezig, een `data` met null niet.",
        why: "De ene ontvanger neemt het ene veld en de andere het andere, zodat ze verschillende inhoud verwerken. De meeste weigeren de gebeurtenis.",
        fix: "Verstuur bytes in `data_base64` en al het andere in `data`, en laat het andere veld weg.",
    },
    good: Example::Event(r#""data":{"a":1}"#),
    bad: Example::Event(r#""data":{"a":1},"data_base64":"eyJhIjoxfQ==""#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(|event, found| {
        if event.data.is_some() && event.data_base64.is_some() {
            found.members(event, "data_base64");
        }
    }),
};
