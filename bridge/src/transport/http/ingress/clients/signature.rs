//! Signatures of Standard Webhooks 1.0 as the proof of a client: it has signed an id, a time and the body, and
//! no header.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64_simd::STANDARD;
use http::{HeaderMap, HeaderName};
use ring::hmac;
use ring::signature::{ED25519, UnparsedPublicKey};

use crate::config::{Reported, SecretPlace, Table, read_secret};
use crate::transport::http::signature::{ID, SIGNATURE, TIMESTAMP, hmac_key, signed};

/// From now, before and after.
const TOLERANCE: Duration = Duration::from_secs(5 * 60);
/// Of one request that are tried: who changes keys sends two.
const SIGNATURES_MAX: usize = 8;

/// What a request brings, before anything of it is known to be true.
pub(in crate::transport::http::ingress) struct Signature<'h> {
    id: &'h [u8],
    timestamp: &'h str,
    signatures: &'h str,
}

impl<'h> Signature<'h> {
    /// The error is what is wrong, `None` where nothing is signed.
    pub(in crate::transport::http::ingress) fn of(
        headers: &'h HeaderMap,
        now: SystemTime,
    ) -> Result<Self, Option<&'static str>> {
        if !headers.contains_key(SIGNATURE) {
            return Err(None);
        }
        let one = |name: HeaderName| {
            let mut values = headers.get_all(name).iter();
            values.next().filter(|_| values.next().is_none())
        };
        let text = |name| one(name).and_then(|value| value.to_str().ok());
        let (Some(id), Some(timestamp), Some(signatures)) =
            (one(ID), text(TIMESTAMP), text(SIGNATURE))
        else {
            return Err(Some(
                "webhook-id, webhook-timestamp and webhook-signature are needed, once each",
            ));
        };
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let at = timestamp.parse::<u64>();
        if !at.is_ok_and(|at| at.abs_diff(now) <= TOLERANCE.as_secs()) {
            return Err(Some(
                "webhook-timestamp is more than five minutes from now; look at the clocks",
            ));
        }
        Ok(Self {
            id: id.as_bytes(),
            timestamp,
            signatures,
        })
    }
}

/// Several while the client changes from one to the next.
#[derive(Clone, Debug)]
pub(super) struct VerifyingKeys {
    places: Vec<SecretPlace>,
    keys: Vec<VerifyingKey>,
}

#[derive(Clone, Debug)]
enum VerifyingKey {
    Hmac(hmac::Key),
    Ed25519(Vec<u8>),
}

impl PartialEq for VerifyingKeys {
    fn eq(&self, other: &Self) -> bool {
        self.places == other.places
    }
}

impl Eq for VerifyingKeys {}

impl VerifyingKeys {
    pub(super) fn read(table: &Table<'_>) -> Result<Option<Self>, Reported> {
        let meaning = "what its requests are signed with, in the form of Standard Webhooks: a list of `{ file = \"…\" }` and \
                       `{ env = \"…\" }` with one each, `whsec_…` (HMAC-SHA256) or `whpk_…` (the public key of ed25519)";
        let places = table.key::<Vec<SecretPlace>>("signing_secrets", meaning);
        let Some(places) = places.optional("one of the five is required")? else {
            return Ok(None);
        };
        let key = |place| {
            let secret = read_secret(place).map_err(|error| format!("cannot be read: {error}"))?;
            let key = VerifyingKey::parse(secret.trim());
            key.ok_or_else(|| "is no secret of Standard Webhooks that verifies".to_owned())
        };
        let keys: Result<Vec<_>, String> = match places.is_empty() {
            true => Err("has none in it".to_owned()),
            false => places.iter().map(key).collect(),
        };
        let keys = keys.map_err(|what| {
            let remedy = "give each one secret as the client has it, whsec_ or whpk_ in front";
            table.report(&["signing_secrets"], what, remedy)
        });
        keys.map(|keys| Some(Self { places, keys }))
    }

    /// In a time that does not tell how much of a signature was right.
    pub(super) fn have_signed(&self, signature: &Signature<'_>, body: &[u8]) -> bool {
        let signed = signed(signature.id, signature.timestamp, body);
        let signatures = signature.signatures.split(' ').take(SIGNATURES_MAX);
        let mut signatures = signatures.filter_map(|text| text.split_once(','));
        signatures.any(|(version, text)| {
            let bytes = STANDARD.decode_to_vec(text).unwrap_or_default();
            self.keys
                .iter()
                .any(|key| key.verifies(version, &signed, &bytes))
        })
    }
}

impl VerifyingKey {
    fn parse(secret: &str) -> Option<Self> {
        let Some(text) = secret.strip_prefix("whpk_") else {
            return hmac_key(secret).map(Self::Hmac);
        };
        let key = STANDARD.decode_to_vec(text).ok()?;
        (key.len() == 32).then_some(Self::Ed25519(key))
    }

    fn verifies(&self, version: &str, signed: &[u8], signature: &[u8]) -> bool {
        match (self, version) {
            (Self::Hmac(key), "v1") => hmac::verify(key, signed, signature).is_ok(),
            (Self::Ed25519(key), "v1a") => {
                let key = UnparsedPublicKey::new(&ED25519, key);
                key.verify(signed, signature).is_ok()
            }
            _ => false,
        }
    }
}
