//! Bearer tokens that are JWTs (RFC 7519): known by who issued them, for whom, and a signature.

use std::fs;
use std::path::{Path, PathBuf};

use jsonwebtoken::jwk::{
    AlgorithmParameters, EllipticCurve, Jwk, JwkSet, KeyAlgorithm, PublicKeyUse,
};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode, decode_header};
use serde::de::IgnoredAny;
use serde_json::Value as Json;

use crate::config::describe::{keys, object};
use crate::config::{Reported, Setting, SettingValue, Table};
use crate::jwt;

#[derive(Clone, Debug)]
pub(super) struct Jwt {
    claims: Claims,
    keys: Vec<Key>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Claims {
    issuer: String,
    audience: String,
    subject: Option<String>,
}

#[derive(Clone, Debug)]
struct Key {
    id: Option<String>,
    key: DecodingKey,
    /// The claims, and the algorithms that the key is for: a token does not choose.
    validation: Validation,
}

impl PartialEq for Jwt {
    fn eq(&self, other: &Self) -> bool {
        self.claims == other.claims
    }
}

impl Eq for Jwt {}

impl Setting for Jwt {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        found.section(Self::of_table)
    }

    fn schema() -> Json {
        object(&keys(Self::of_table))
    }
}

impl Jwt {
    fn of_table(table: &Table<'_>) -> Result<Self, Reported> {
        let issuer = table.key::<String>("issuer", "claim `iss`").required();
        let audience = table.key::<String>("audience", "claim `aud`, or one of it");
        let audience = audience.required();
        let subject = table.key::<String>("subject", "claim `sub`");
        let subject = subject.optional("every token of the issuer for the audience");
        let meaning = "file with the keys of the issuer, a JSON Web Key Set";
        let file = table.key::<PathBuf>("jwks_file", meaning).required();
        let claims = Claims {
            issuer: issuer?,
            audience: audience?,
            subject: subject?,
        };
        match claims.keys(&file?) {
            Ok(keys) => Ok(Self { claims, keys }),
            Err(cause) => {
                let remedy = "name a JWK Set with keys for RS256, PS256, ES256 or EdDSA";
                Err(table.report(&["jwks_file"], format!("cannot be used: {cause}"), remedy))
            }
        }
    }

    pub(super) fn is_brought(&self, token: &[u8]) -> bool {
        let Ok(header) = decode_header(token) else {
            return false;
        };
        let may_fit = |key: &&Key| header.kid.is_none() || key.id.is_none() || header.kid == key.id;
        let mut keys = self.keys.iter().filter(may_fit);
        keys.any(|key| decode::<IgnoredAny>(token, &key.key, &key.validation).is_ok())
    }
}

impl Claims {
    /// At least one; keys of other kinds are left out.
    fn keys(&self, file: &Path) -> Result<Vec<Key>, String> {
        jwt::install();
        let text = fs::read(file).map_err(|error| error.to_string())?;
        let set = serde_json::from_slice::<JwkSet>(&text);
        // The error of serde may repeat what stands there.
        let set = set.map_err(|_| "no JSON Web Key Set in it".to_owned())?;
        let keys: Vec<_> = set.keys.iter().filter_map(|key| self.key(key)).collect();
        match keys.is_empty() {
            true => Err("no key in it that can be used".to_owned()),
            false => Ok(keys),
        }
    }

    fn key(&self, jwk: &Jwk) -> Option<Key> {
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
        let named = jwk.common.key_algorithm.map(|it| match it {
            KeyAlgorithm::RS256 => Some(Algorithm::RS256),
            KeyAlgorithm::PS256 => Some(Algorithm::PS256),
            KeyAlgorithm::ES256 => Some(Algorithm::ES256),
            KeyAlgorithm::EdDSA => Some(Algorithm::EdDSA),
            _ => None,
        });
        let is_named = |it: &&Algorithm| named.is_none_or(|named| named == Some(**it));
        let algorithms: Vec<_> = of_type.iter().filter(is_named).copied().collect();
        let mut validation = Validation::new(*algorithms.first()?);
        validation.algorithms = algorithms;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.sub.clone_from(&self.subject);
        let subject = self.subject.as_ref().map(|_| "sub");
        let required: Vec<_> = ["exp", "iss", "aud"].into_iter().chain(subject).collect();
        validation.set_required_spec_claims(&required);
        Some(Key {
            id: jwk.common.key_id.clone(),
            key: DecodingKey::from_jwk(jwk).ok()?,
            validation,
        })
    }
}
