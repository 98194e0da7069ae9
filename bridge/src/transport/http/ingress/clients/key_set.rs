//! Pure: the keys of a JSON Web Key Set (RFC 7517), and what they have signed.

use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve, Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use serde::de::IgnoredAny;

use crate::jwt;

#[derive(Debug)]
pub(super) struct KeySet(Vec<Key>);

#[derive(Debug)]
struct Key {
    id: Option<String>,
    key: DecodingKey,
    /// That the key is for: a token does not choose.
    algorithms: Vec<Algorithm>,
}

impl KeySet {
    /// Keys of other kinds are left out. Where all are, it is an error; where there are none, no token counts.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        jwt::install();
        // The error of serde may repeat what stands there.
        let set = serde_json::from_slice::<JwkSet>(text);
        let set = set.map_err(|_| "no JSON Web Key Set in it".to_owned())?;
        let keys: Vec<_> = set.keys.iter().filter_map(Key::new).collect();
        match keys.is_empty() && !set.keys.is_empty() {
            true => Err("no key in it that can be used".to_owned()),
            false => Ok(Self(keys)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn names(&self, id: &str) -> bool {
        self.0.iter().any(|key| key.id.as_deref() == Some(id))
    }

    /// `id` is that of the key, as the token names it.
    pub(super) fn have_signed(&self, token: &[u8], id: Option<&str>, claims: &Validation) -> bool {
        let may_fit = |key: &&Key| id.is_none() || key.id.is_none() || id == key.id.as_deref();
        let mut keys = self.0.iter().filter(may_fit);
        keys.any(|key| {
            let mut validation = claims.clone();
            validation.algorithms.clone_from(&key.algorithms);
            decode::<IgnoredAny>(token, &key.key, &validation).is_ok()
        })
    }
}

impl Key {
    fn new(jwk: &Jwk) -> Option<Self> {
        if jwk.common.public_key_use == Some(PublicKeyUse::Encryption) {
            return None;
        }
        let of_type: &[Algorithm] = match &jwk.algorithm {
            AlgorithmParameters::RSA(_) => &[Algorithm::RS256, Algorithm::PS256],
            AlgorithmParameters::EllipticCurve(key) if key.curve == EllipticCurve::P256 => {
                &[Algorithm::ES256]
            }
            AlgorithmParameters::OctetKeyPair(_) => &[Algorithm::EdDSA],
            _ => return None,
        };
        let named = jwk.common.key_algorithm;
        let named = named.map(|it| Algorithm::try_from(it).ok());
        let is_named = |it: &&Algorithm| named.is_none_or(|named| named == Some(**it));
        let algorithms: Vec<_> = of_type.iter().filter(is_named).copied().collect();
        (!algorithms.is_empty()).then_some(())?;
        Some(Self {
            id: jwk.common.key_id.clone(),
            key: DecodingKey::from_jwk(jwk).ok()?,
            algorithms,
        })
    }
}
