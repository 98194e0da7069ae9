//! Bearer tokens that are JWTs (RFC 7519): known by who issued them, for whom, and a signature.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use jsonwebtoken::dangerous::insecure_decode_claims;
use jsonwebtoken::{Algorithm, Validation, decode_header};
use serde::Deserialize;
use serde_json::Value as Json;

use super::issuer_keys::IssuerKeys;
use super::key_set::KeySet;
use crate::config::describe::{keys, object};
use crate::config::url::checked_url;
use crate::config::{Reported, Setting, SettingValue, Table};
use crate::tls::ClientTls;

#[derive(Clone, Debug)]
pub(super) struct Jwt {
    /// Of its claims.
    validation: Validation,
    keys: Keys,
}

#[derive(Clone, Debug)]
enum Keys {
    File(Arc<KeySet>),
    Url(Arc<IssuerKeys>),
}

impl PartialEq for Jwt {
    fn eq(&self, other: &Self) -> bool {
        self.validation == other.validation
    }
}

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
        let keys = Keys::read(table);
        let (issuer, audience, subject) = (issuer?, audience?, subject?);
        let mut validation = Validation::new(Algorithm::ES256);
        validation.validate_nbf = true;
        validation.set_issuer(&[&issuer]);
        validation.set_audience(&[audience]);
        let required = ["exp", "iss", "aud"].into_iter();
        let required: Vec<_> = required.chain(subject.is_some().then_some("sub")).collect();
        validation.set_required_spec_claims(&required);
        validation.sub = subject;
        let keys = keys?;
        Ok(Self { validation, keys })
    }

    pub(super) fn is_brought(&self, token: &[u8]) -> bool {
        let Ok(header) = decode_header(token) else {
            return false;
        };
        let keys = match &self.keys {
            Keys::File(keys) => Some(Arc::clone(keys)),
            Keys::Url(keys) => keys.current(),
        };
        let id = header.kid.as_deref();
        keys.is_some_and(|keys| keys.have_signed(token, id, &self.validation))
    }

    /// Whether the key of a token that is not known may still come.
    pub(super) fn may_come(&self, token: &[u8]) -> bool {
        #[derive(Deserialize)]
        struct Issued {
            iss: String,
        }
        // Not verified: a token of another issuer says nothing of the keys of this one.
        let issued = insecure_decode_claims::<Issued>(token);
        let issuer = self.validation.iss.as_ref();
        let is_its = issued.is_ok_and(|it| issuer.is_some_and(|known| known.contains(&it.iss)));
        match (&self.keys, decode_header(token)) {
            (Keys::Url(keys), Ok(header)) if is_its => keys.may_come(header.kid.as_deref()),
            _ => false,
        }
    }

    pub(super) fn issuer_keys(&self) -> Option<Arc<IssuerKeys>> {
        match &self.keys {
            Keys::File(_) => None,
            Keys::Url(keys) => Some(Arc::clone(keys)),
        }
    }
}

impl Keys {
    fn read(table: &Table<'_>) -> Result<Self, Reported> {
        let meaning = "file with the keys of the issuer, a JSON Web Key Set";
        let file = table.key::<PathBuf>("jwks_file", meaning);
        let file = file.optional("one of the two is required");
        let meaning = "URL of the same, `https`; `http` reaches loopback only";
        let url = table.key::<String>("jwks_url", meaning);
        let url = url.optional("one of the two is required");
        let tls = ClientTls::read(table);
        match (file?, url?, tls?) {
            (Some(file), None, _) => {
                let text = fs::read(file).map_err(|error| error.to_string());
                match text.and_then(|text| KeySet::parse(&text)) {
                    Ok(keys) if !keys.is_empty() => Ok(Self::File(Arc::new(keys))),
                    unusable => {
                        let cause = unusable.err().unwrap_or_else(|| "no key in it".to_owned());
                        let what = format!("cannot be used: {cause}");
                        let remedy = "name a JWK Set with keys for RS256, PS256, ES256 or EdDSA";
                        Err(table.report(&["jwks_file"], what, remedy))
                    }
                }
            }
            (None, Some(url), tls) => {
                let url = checked_url(&url, None);
                let url = url.map_err(|fault| table.fault(&["jwks_url"], fault))?;
                tls.prove(table);
                table.sound()?;
                Ok(Self::Url(IssuerKeys::shared(&url, &tls)))
            }
            _ => {
                let what = "does not have its keys from exactly one place";
                Err(table.report(&[], what, "keep one of jwks_file and jwks_url"))
            }
        }
    }
}
