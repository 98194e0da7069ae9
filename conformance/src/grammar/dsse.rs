//! Envelopes of DSSE, as the verifiability extension uses them.

use serde_json::Value;

/// What the extension puts in an envelope.
const PAYLOAD_TYPE: &str = "https://cloudevents.io/verifiability/dsse/v0.1";

/// Whether a text is an envelope of that payload type, with a payload and signatures that are not empty.
pub(crate) fn is_envelope(text: &[u8]) -> bool {
    let envelope: Value = serde_json::from_slice(text).unwrap_or_default();
    let is_filled = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    let are_signed =
        |all: &Vec<Value>| !all.is_empty() && all.iter().all(|one| is_filled(&one["sig"]));
    envelope["payloadType"] == PAYLOAD_TYPE
        && is_filled(&envelope["payload"])
        && envelope["signatures"].as_array().is_some_and(are_signed)
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
