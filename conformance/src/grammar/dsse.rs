//! Envelopes of DSSE, as the verifiability extension uses them.

use serde::Deserialize;

/// What the extension puts in an envelope.
const PAYLOAD_TYPE: &str = "https://cloudevents.io/verifiability/dsse/v0.1";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    payload: String,
    payload_type: String,
    signatures: Vec<Signature>,
}

#[derive(Deserialize)]
struct Signature {
    sig: String,
}

/// Whether a text is an envelope of that payload type, with a payload and signatures that are not empty.
pub(crate) fn is_envelope(text: &[u8]) -> bool {
    let Ok(envelope) = serde_json::from_slice::<Envelope>(text) else {
        return false;
    };
    let is_signed = envelope.signatures.iter().all(|one| !one.sig.is_empty());
    envelope.payload_type == PAYLOAD_TYPE
        && !envelope.payload.is_empty()
        && !envelope.signatures.is_empty()
        && is_signed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_what_an_envelope_holds() {
        let with = |payload_type: &str, signatures: &str| {
            format!(
                r#"{{"payload":"e30=","payloadType":"{payload_type}","signatures":{signatures}}}"#
            )
        };
        let signed = r#"[{"keyid":"k","sig":"YQ=="}]"#;
        let fails = [
            with("https://example.com/v1", signed),
            with(PAYLOAD_TYPE, "[]"),
            with(PAYLOAD_TYPE, r#"[{"sig":""}]"#),
            with(PAYLOAD_TYPE, r#"[{"keyid":"k"}]"#),
            with(PAYLOAD_TYPE, signed).replace("e30=", ""),
            "{}".to_owned(),
            "plain text".to_owned(),
        ];
        let fails: Vec<&str> = fails.iter().map(String::as_str).collect();
        let pass = with(PAYLOAD_TYPE, signed);
        check(|text| is_envelope(text.as_bytes()), &[&pass], &fails);
    }
}
