//! Signatures in the form of Standard Webhooks 1.0: `webhook-id`, `webhook-timestamp` and `webhook-signature`.

use base64_simd::STANDARD;
use http::{HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;
use ring::hmac;
use ring::signature::Ed25519KeyPair;

use crate::config::{Reported, SecretPlace, Table, read_secret};
use crate::transport::{Batch, MessageId};

pub(super) const ID: HeaderName = HeaderName::from_static("webhook-id");
pub(super) const TIMESTAMP: HeaderName = HeaderName::from_static("webhook-timestamp");
pub(super) const SIGNATURE: HeaderName = HeaderName::from_static("webhook-signature");

/// Where its secrets are kept; with two of them a receiver may change from one to the other.
pub(super) fn read(table: &Table<'_>) -> Result<Vec<SecretPlace>, Reported> {
    let meaning = "what signs each delivery in the form of Standard Webhooks: a list of `{ file = \"…\" }` and `{ env = \
                   \"…\" }` with one secret each, `whsec_…` (HMAC-SHA256) or `whsk_…` (ed25519); every one signs, so that a \
                   receiver can change from one to the next";
    let places = table.key::<Vec<SecretPlace>>("signing_secrets", meaning);
    let places = places.optional("none: deliveries are not signed")?;
    let places = places.unwrap_or_default();
    if let Err(what) = Signer::open(&places) {
        let remedy = "give each one secret as the receiver has it, whsec_ or whsk_ in front";
        return Err(table.report(&["signing_secrets"], what, remedy));
    }
    Ok(places)
}

pub(super) struct Signer(Vec<SigningKey>);

enum SigningKey {
    Hmac(hmac::Key),
    Ed25519(Box<Ed25519KeyPair>),
}

impl Signer {
    /// Nothing where nothing is to be signed. The error is what is wrong with a secret, without anything of it.
    pub(super) fn open(places: &[SecretPlace]) -> Result<Option<Self>, String> {
        let keys = read_keys(places, SigningKey::parse)?;
        Ok((!keys.is_empty()).then_some(Self(keys)))
    }

    /// Replaces headers of the same names that an event may have.
    pub(super) fn sign(&self, batch: &Batch, body: &[u8], headers: &mut HeaderMap) {
        let ids = batch.iter().filter_map(|event| event.message_id);
        let ids: Vec<_> = ids.map(|id| id.to_string()).collect();
        let id = match &ids[..] {
            [id] => id.clone(),
            ids => MessageId::of("", "", &ids.concat()).to_string(),
        };
        let timestamp = Timestamp::now().as_second().to_string();
        let signed = signed(id.as_bytes(), &timestamp, body);
        let signatures: Vec<_> = self.0.iter().map(|key| key.sign(&signed)).collect();
        let signatures = signatures.join(" ");
        for (name, value) in [(ID, id), (TIMESTAMP, timestamp), (SIGNATURE, signatures)] {
            let value = HeaderValue::try_from(value);
            let value = value.expect("digits, letters and base64 are visible ASCII");
            headers.insert(name, value);
        }
    }
}

impl SigningKey {
    /// A seed, with or without its public key, for ed25519.
    fn parse(secret: &str) -> Option<Self> {
        if let Some(text) = secret.strip_prefix("whsk_") {
            let bytes = STANDARD.decode_to_vec(text).ok()?;
            let pair = match bytes.split_at_checked(32)? {
                (seed, []) => Ed25519KeyPair::from_seed_unchecked(seed),
                (seed, public) => Ed25519KeyPair::from_seed_and_public_key(seed, public),
            };
            return Some(Self::Ed25519(Box::new(pair.ok()?)));
        }
        hmac_key(secret).map(Self::Hmac)
    }

    fn sign(&self, signed: &[u8]) -> String {
        let base64 = |signature: &[u8]| STANDARD.encode_to_string(signature);
        match self {
            Self::Hmac(key) => format!("v1,{}", base64(hmac::sign(key, signed).as_ref())),
            Self::Ed25519(pair) => format!("v1a,{}", base64(pair.sign(signed).as_ref())),
        }
    }
}

/// One of each place. The error shows nothing of what is there.
pub(super) fn read_keys<K>(
    places: &[SecretPlace],
    parse: fn(&str) -> Option<K>,
) -> Result<Vec<K>, String> {
    let key = |place| {
        let secret = read_secret(place).map_err(|error| format!("cannot be read: {error}"))?;
        let key = parse(secret.trim());
        key.ok_or_else(|| "is no secret of Standard Webhooks that serves here".to_owned())
    };
    places.iter().map(key).collect()
}

/// 24 to 64 bytes, as the specification asks.
pub(super) fn hmac_key(secret: &str) -> Option<hmac::Key> {
    let text = secret.strip_prefix("whsec_")?;
    let bytes = STANDARD.decode_to_vec(text).ok()?;
    let is_long = (24..=64).contains(&bytes.len());
    is_long.then(|| hmac::Key::new(hmac::HMAC_SHA256, &bytes))
}

pub(super) fn signed(id: &[u8], timestamp: &str, body: &[u8]) -> Vec<u8> {
    [id, b".", timestamp.as_bytes(), b".", body].concat()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use ring::signature::{ED25519, KeyPair as _, UnparsedPublicKey};

    use super::*;
    use crate::config::tests::{faults, read as read_json};

    /// The example of the specification's reference libraries.
    #[test]
    fn the_example_of_the_specification_has_its_signature() {
        let key = SigningKey::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signed = br#"msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}"#;
        assert_eq!(
            key.sign(signed),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn every_secret_signs() {
        let folder = tempfile::tempdir().unwrap();
        let seed = [7; 32];
        let secrets = [
            "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n".to_owned(),
            format!("whsk_{}", STANDARD.encode_to_string(seed)),
        ];
        let file = |(number, secret): (usize, &String)| {
            let path = folder.path().join(number.to_string());
            std::fs::write(&path, secret).unwrap();
            serde_json::json!({ "file": path })
        };
        let files: Vec<_> = secrets.iter().enumerate().map(file).collect();
        let json = serde_json::json!({ "signing_secrets": files }).to_string();
        let signer = Signer::open(&read_json(&json, read).unwrap())
            .unwrap()
            .unwrap();
        let event = crate::transport::Outgoing {
            message_id: Some(MessageId::of("", "/a", "1")),
            ..Default::default()
        };
        let mut headers = HeaderMap::new();
        signer.sign(&vec![event.into()], b"{}", &mut headers);
        let text = |name| headers[name].to_str().unwrap();
        assert_eq!(text("webhook-id"), MessageId::of("", "/a", "1").to_string());
        let signed = format!("{}.{}.{{}}", text("webhook-id"), text("webhook-timestamp"));
        let (symmetric, asymmetric) = text("webhook-signature").split_once(' ').unwrap();
        let key = SigningKey::parse(secrets[0].trim()).unwrap();
        assert_eq!(symmetric, key.sign(signed.as_bytes()));
        let public = *Ed25519KeyPair::from_seed_unchecked(&seed)
            .unwrap()
            .public_key();
        let signature = asymmetric.strip_prefix("v1a,").unwrap();
        let signature = STANDARD.decode_to_vec(signature).unwrap();
        let key = UnparsedPublicKey::new(&ED25519, public);
        key.verify(signed.as_bytes(), &signature).unwrap();
    }

    #[test]
    fn a_secret_of_another_form_is_reported_and_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        let json = serde_json::json!({ "signing_secrets": [{ "file": path }] }).to_string();
        for secret in ["", "hunter2", "whsec_c2hvcnQ=", "whsec_!", "whsk_c2hvcnQ="] {
            std::fs::write(&path, secret).unwrap();
            assert_eq!(faults(&json, read), ["signing_secrets"], "{secret:?}");
        }
        assert_eq!(
            faults(r#"{"signing_secrets": ["whsec_hunter2"]}"#, read),
            ["signing_secrets[0]"]
        );
    }
}
