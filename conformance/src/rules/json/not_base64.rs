use crate::grammar::base64::is_base64;
use crate::json::Value;
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "JSON-DATA-4",
    en: Texts {
        title: "`data_base64` is not Base64",
        explanation: "`data_base64` is a JSON string in the Base64 of RFC 4648, section 4: letters, digits, `+` and `/`, with `=` at the end where needed, and no line breaks.",
        why: "A receiver cannot recover the bytes and refuses the event. A lenient one that skips characters gets other bytes than were sent.",
        fix: "Use the standard alphabet with padding; the variant for URLs, with `-` and `_`, is another one.",
    },
    nl: Texts {
        title: "`data_base64` is geen Base64",
        explanation: "`data_base64` is een JSON-string in Base64 volgens RFC 4648, paragraaf 4: letters, cijfers, `+` en `/`, zo nodig `=` aan het einde, en geen regeleinden.",
        why: "Een ontvanger kan de bytes niet terughalen en weigert de gebeurtenis. Een soepele ontvanger die tekens overslaat, krijgt andere bytes dan er zijn verstuurd.",
        fix: "Gebruik het standaardalfabet met opvulling. De variant voor URL’s, met `-` en `_`, is een andere.",
    },
    good: Example::Event(r#""data_base64":"YWFw""#),
    bad: Example::Event(r#""data_base64":"YWF-""#),
    decode: Decode::Refuse,
    applies: Applies::Json,
    check: Check::Event(|event, found| {
        let is_spelled = |value: Value<'_>| value.text().is_some_and(|text| is_base64(&text.text));
        if event.data_base64.is_some_and(|value| !is_spelled(value)) {
            found.members(event, "data_base64");
        }
    }),
};
