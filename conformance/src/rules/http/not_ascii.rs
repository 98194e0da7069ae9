use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-ENC-1",
    en: Texts {
        title: "Header value with other characters than printable US-ASCII",
        explanation: "The value of an attribute header is printable US-ASCII. Letters with accents, emoji and control characters do not occur in it as they are.",
        why: "HTTP does not say which charset other bytes are in. A reader that takes UTF-8 for Latin-1 makes `SÃºdwest` of `Súdwest`, and some servers refuse the request.",
        fix: "Write each UTF-8 byte of such a character as a percent code: `ú` is `%C3%BA`.",
    },
    nl: Texts {
        title: "Headerwaarde met andere tekens dan afdrukbare US-ASCII",
        explanation: "De waarde van een attribuutheader is afdrukbare US-ASCII. Letters met accenten, emoji en besturingstekens komen er niet onbewerkt in voor.",
        why: "HTTP vermeldt niet in welke tekenset andere bytes staan. Een ontvanger die UTF-8 voor Latin-1 aanziet, maakt van `Súdwest` `SÃºdwest`. Sommige servers weigeren het verzoek.",
        fix: "Schrijf elke UTF-8-byte van zo’n teken als procentcode: `ú` is `%C3%BA`.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: S%C3%BAdwest-Frysl%C3%A2n"),
    bad: Example::Message(Protocol::Http, "ce-subject: Súdwest-Fryslân"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(|reading, found| {
        found.coded(reading, |value| {
            value.iter().any(|byte| !matches!(byte, b' '..=b'~'))
        });
    }),
};
