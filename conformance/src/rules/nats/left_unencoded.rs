use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "NATS-ENC-2",
    en: Texts {
        title: "Space, double quote or percent sign not encoded",
        explanation: "Spaces, double quotes and percent signs of a value are percent-encoded before sending, in URIs and content types too. A percent sign is reported where decoding breaks a URI that was fine.",
        why: "A receiver decodes once. A source such as `urn:nld:gemeente-Bergen%20(L).zaken`, sent as it is, arrives with a raw space, and is refused or becomes another source.",
        fix: "Encode the whole value once more, whatever it holds: `%` becomes `%25`, a space `%20`, a quote `%22`.",
    },
    nl: Texts {
        title: "Spatie, dubbel aanhalingsteken of procentteken niet gecodeerd",
        explanation: "Spaties, dubbele aanhalingstekens en procenttekens in een waarde worden voor het versturen gecodeerd, ook in URI’s en content types. Een procentteken wordt gemeld als een geldige URI door het decoderen ongeldig wordt.",
        why: "Een ontvanger decodeert één keer. Een bron als `urn:nld:gemeente-Bergen%20(L).zaken` die zo wordt verstuurd, komt aan met een spatie. Zij wordt geweigerd of is een andere bron geworden.",
        fix: "Codeer de hele waarde, wat er ook in staat: `%` wordt `%25`, een spatie `%20`, een aanhalingsteken `%22`.",
    },
    good: Example::Message(
        Protocol::Nats,
        "ce-source: urn:nld:gemeente-Bergen%2520%2528L%2529.zaken",
    ),
    bad: Example::Message(
        Protocol::Nats,
        "ce-datacontenttype: text/plain; charset=utf-8\n\na",
    ),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Nats, Mode::Binary),
    check: crate::rules::http::left_unencoded::RULE.check,
};
