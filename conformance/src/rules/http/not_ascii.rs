use crate::rules::prelude::*;

pub(crate) const RULE: Rule = Rule {
    id: "HTTP-ENC-1",
    level: Levels::everywhere(Level::Must),
    status: Status::Released,
    clause: "HTTP binding 1.0.2, 3.1.3.2",
    title: Text {
        en: "Header value with other characters than printable US-ASCII",
        nl: "Headerwaarde met andere tekens dan afdrukbare US-ASCII",
    },
    explanation: Text {
        en: "The value of an attribute header is printable US-ASCII. Letters with accents, emoji and control characters do not occur in it as they are.",
        nl: "De waarde van een attribuutheader is afdrukbare US-ASCII. Letters met accenten, emoji en besturingstekens komen er niet onbewerkt in voor.",
    },
    why: Text {
        en: "HTTP does not say which charset other bytes are in. A reader that takes UTF-8 for Latin-1 makes `SÃºdwest` of `Súdwest`, and some servers refuse the request.",
        nl: "HTTP vermeldt niet in welke tekenset andere bytes staan. Een ontvanger die UTF-8 voor Latin-1 aanziet, maakt van `Súdwest` `SÃºdwest`. Sommige servers weigeren het verzoek.",
    },
    fix: Text {
        en: "Write each UTF-8 byte of such a character as a percent code: `ú` is `%C3%BA`.",
        nl: "Schrijf elke UTF-8-byte van zo’n teken als procentcode: `ú` is `%C3%BA`.",
    },
    good: Example::Message(Protocol::Http, "ce-subject: S%C3%BAdwest-Frysl%C3%A2n"),
    bad: Example::Message(Protocol::Http, "ce-subject: Súdwest-Fryslân"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(|reading, found| {
        for (header, value) in reading.coded_headers() {
            if value.iter().any(|byte| !matches!(byte, b' '..=b'~')) {
                found.header(header);
            }
        }
    }),
};
