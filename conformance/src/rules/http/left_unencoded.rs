use crate::grammar::{percent, uri};
use crate::rules::prelude::*;

pub(crate) const RULE: Definition = Definition {
    id: "HTTP-ENC-2",
    en: Texts {
        title: "Character that should have been percent-encoded",
        explanation: "In all attributes alike, a space, a double quote, a percent sign and every character beyond `!` to `~` are percent-encoded as UTF-8. Percent signs that a URI already has are encoded again: `%20` travels as `%2520`.",
        why: "Every receiver decodes a value once. A `source` that was copied as it stands loses its own percent codes, is no URI any more, and the event is refused.",
        fix: "Encode each value before sending, URIs included: a space is `%20`, `\"` is `%22` and `%` is `%25`.",
    },
    nl: Texts {
        title: "Teken dat een procentcode had moeten zijn",
        explanation: "In alle attributen worden een spatie, een dubbel aanhalingsteken, een procentteken en elk teken buiten `!` tot en met `~` als UTF-8 in procentcodes omgezet. Dat geldt ook voor procenttekens die al in een URI staan: `%20` reist als `%2520`.",
        why: "Elke ontvanger decodeert een waarde één keer. Een `source` die onbewerkt is overgenomen, verliest zijn eigen procentcodes en is geen URI meer. De gebeurtenis wordt dan geweigerd.",
        fix: "Codeer elke waarde voor het versturen, ook een URI: een spatie is `%20`, `\"` is `%22` en `%` is `%25`.",
    },
    good: Example::Message(
        Protocol::Http,
        "ce-source: urn:nld:gemeente-Bergen%2520%2528L%2529.burgerzakensysteem",
    ),
    bad: Example::Message(Protocol::Http, "ce-subject: Jan de Vries"),
    decode: Decode::Accept,
    applies: Applies::In(Protocol::Http, Mode::Binary),
    check: Check::Message(check),
};

fn check(reading: &Reading<'_>, found: &mut Found<'_>) {
    for (name, header) in reading.attribute_headers() {
        let value = percent::trim(header.value.as_deref().unwrap_or_default());
        let decoded = percent::decode(value);
        // Inside quotes, older senders leave characters as they are.
        let is_bare = !decoded.is_quoted && !value.iter().copied().all(percent::is_literal);
        // What is a URI before decoding and none after was copied with its own percent codes.
        let is_uri = matches!(&*name, "source" | "dataschema" | "dataref");
        if is_bare || is_uri && is_reference(value) && !is_reference(&decoded.bytes) {
            found.header(header);
        }
    }
}

fn is_reference(value: &[u8]) -> bool {
    str::from_utf8(value).is_ok_and(uri::is_uri_reference)
}
