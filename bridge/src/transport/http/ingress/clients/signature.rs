//! Signatures of Standard Webhooks 1.0 as the proof of a client: it has signed an id, a time and the body, and
//! no header.

use std::time::Duration;

use base64_simd::STANDARD;
use http::{HeaderMap, HeaderName};
use jiff::Timestamp;
use ring::hmac;
use ring::signature::{ED25519, UnparsedPublicKey};
use subtle::ConstantTimeEq;

use crate::config::{Reported, SecretPlace, Table};
use crate::transport::http::ingress::only;
use crate::transport::http::signature::{ID, SIGNATURE, TIMESTAMP, hmac_key, read_keys, signed};

/// From now, before and after.
const TOLERANCE: Duration = Duration::from_secs(5 * 60);
/// Of one request that are looked at: who changes keys sends two. One of ed25519 costs as much as the body is long.
const HMAC_MAX: usize = 8;
const ED25519_MAX: usize = 2;

/// What a request brings, before anything of it is known to be true.
pub(in crate::transport::http::ingress) struct Signature<'h> {
    id: &'h [u8],
    timestamp: &'h str,
    hmac: Vec<Vec<u8>>,
    ed25519: Vec<Vec<u8>>,
}

impl<'h> Signature<'h> {
    /// The error is what is wrong.
    pub(in crate::transport::http::ingress) fn of(
        headers: &'h HeaderMap,
    ) -> Result<Self, &'static str> {
        let one = |name: HeaderName| only(headers.get_all(name).iter());
        let text = |name| one(name).and_then(|value| value.to_str().ok());
        let (Some(id), Some(timestamp), Some(signatures)) =
            (one(ID), text(TIMESTAMP), text(SIGNATURE))
        else {
            return Err(
                "webhook-id, webhook-timestamp and webhook-signature are needed, once each",
            );
        };
        let now = Timestamp::now().as_second();
        let at = timestamp.parse::<i64>();
        if !at.is_ok_and(|at| at.abs_diff(now) <= TOLERANCE.as_secs()) {
            return Err("webhook-timestamp is more than five minutes from now; look at the clocks");
        }
        let of = |version, most| {
            let signatures = signatures.split(' ');
            let signatures = signatures.filter_map(|it| it.split_once(','));
            let signatures = signatures.filter(|(of, _)| *of == version);
            let signatures = signatures.filter_map(|(_, text)| STANDARD.decode_to_vec(text).ok());
            signatures.take(most).collect()
        };
        Ok(Self {
            id: id.as_bytes(),
            timestamp,
            hmac: of("v1", HMAC_MAX),
            ed25519: of("v1a", ED25519_MAX),
        })
    }

    /// What is said to be signed.
    pub(super) fn text(&self, body: &[u8]) -> Vec<u8> {
        signed(self.id, self.timestamp, body)
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

impl VerifyingKeys {
    pub(super) fn read(table: &Table<'_>) -> Result<Option<Self>, Reported> {
        let meaning = "what its requests are signed with, in the form of Standard Webhooks: a list of `{ file = \"…\" }` and \
                       `{ env = \"…\" }` with one each, `whsec_…` (HMAC-SHA256) or `whpk_…` (the public key of ed25519)";
        let places = table.key::<Vec<SecretPlace>>("signing_secrets", meaning);
        let Some(places) = places.optional("one of the five is required")? else {
            return Ok(None);
        };
        let keys = match places.is_empty() {
            true => Err("has none in it".to_owned()),
            false => read_keys(&places, VerifyingKey::parse),
        };
        let keys = keys.map_err(|what| {
            let remedy = "give each one secret as the client has it, whsec_ or whpk_ in front";
            table.report(&["signing_secrets"], what, remedy)
        });
        keys.map(|keys| Some(Self { places, keys }))
    }

    /// In a time that does not tell how much of a signature was right.
    pub(super) fn have_signed(&self, text: &[u8], signature: &Signature<'_>) -> bool {
        self.keys.iter().any(|key| key.has_signed(text, signature))
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

    /// The text may be long: it is gone through once, however many signatures there are by HMAC.
    fn has_signed(&self, text: &[u8], signature: &Signature<'_>) -> bool {
        match self {
            Self::Hmac(_) if signature.hmac.is_empty() => false,
            Self::Hmac(key) => {
                let tag = hmac::sign(key, text);
                let is_it = |one: &Vec<u8>| bool::from(one.ct_eq(tag.as_ref()));
                signature.hmac.iter().any(is_it)
            }
            Self::Ed25519(key) => {
                let key = UnparsedPublicKey::new(&ED25519, key);
                let verifies = |one: &Vec<u8>| key.verify(text, one).is_ok();
                signature.ed25519.iter().any(verifies)
            }
        }
    }
}
