use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "EXT-DEPR-1",
    en: Texts {
        title: "`deprecated` is not true",
        explanation: "When `deprecated` is used, it is the Boolean true; as text in a header it is `true`.",
        why: "Consumers look for true to know that an event type will end. With any other value the warning does not reach them.",
        fix: "Set `deprecated` to true, or leave it out as long as the event type stays.",
    },
    nl: Texts {
        title: "`deprecated` heeft niet de waarde true",
        explanation: "Als `deprecated` wordt gebruikt, heeft het de waarde true: in JSON de boolean, in een header de tekst `true`.",
        why: "Afnemers letten op true om te weten dat een type gebeurtenis gaat verdwijnen. Bij een andere waarde bereikt die waarschuwing hen niet.",
        fix: "Zet `deprecated` op true, of laat het weg zolang het type gebeurtenis blijft bestaan.",
    },
    good: Example::Event(r#""deprecated":true"#),
    bad: Example::Event(r#""deprecated":false"#),
    decode: Decode::Accept,
    applies: Applies::Event,
    check: Check::Event(|event, found| {
        let is_true = |attribute: &Attribute<'_>| {
            attribute.value == Value::Boolean(true) || attribute.text() == Some("true")
        };
        let attributes = event.named("deprecated");
        found.all(attributes.filter(|attribute| !is_true(attribute)));
    }),
};
