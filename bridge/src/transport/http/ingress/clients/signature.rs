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
    signatures: &'h str,
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
        Ok(Self {
            id: id.as_bytes(),
            timestamp,
            signatures,
        })
    }

    pub(super) fn over(&self, body: &[u8]) -> Signed {
        let of = |version, most| {
            let signatures = self.signatures.split(' ');
            let signatures = signatures.filter_map(|it| it.split_once(','));
            let signatures = signatures.filter(|(of, _)| *of == version);
            let signatures = signatures.filter_map(|(_, text)| STANDARD.decode_to_vec(text).ok());
            signatures.take(most).collect()
        };
        Signed {
            text: signed(self.id, self.timestamp, body),
            hmac: of("v1", HMAC_MAX),
            ed25519: of("v1a", ED25519_MAX),
        }
    }
}

/// What is said to be signed, and by what.
pub(super) struct Signed {
    text: Vec<u8>,
    hmac: Vec<Vec<u8>>,
    ed25519: Vec<Vec<u8>>,
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
    pub(super) fn have_signed(&self, signed: &Signed) -> bool {
        self.keys.iter().any(|key| key.has_signed(signed))
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
    fn has_signed(&self, signed: &Signed) -> bool {
        match self {
            Self::Hmac(_) if signed.hmac.is_empty() => false,
            Self::Hmac(key) => {
                let tag = hmac::sign(key, &signed.text);
                let is_it = |signature: &Vec<u8>| bool::from(signature.ct_eq(tag.as_ref()));
                signed.hmac.iter().any(is_it)
            }
            Self::Ed25519(key) => {
                let key = UnparsedPublicKey::new(&ED25519, key);
                let verifies = |signature: &Vec<u8>| key.verify(&signed.text, signature).is_ok();
                signed.ed25519.iter().any(verifies)
            }
        }
    }
}
