//! A secret that is kept in a file or variable, as a header.
//! A 401 has processed nothing (RFC 6750, section 3.1): when the file holds another secret by then, the
//! request is sent once more with it.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use base64_simd::STANDARD;
use http::header::AUTHORIZATION;
use http::{HeaderName, HeaderValue};
use jiff::Timestamp;
use jsonwebtoken::{EncodingKey, Header};
use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use super::{CredentialHeader, read_aside};
use crate::config::{SecretPlace, read_secret};
use crate::jwt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SecretSettings {
    pub(super) place: SecretPlace,
    pub(super) form: Form,
}

/// What is made of the secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// RFC 6750
    Bearer,
    /// RFC 7617
    Basic { user: String },
    /// The whole value of this header.
    Whole { header: HeaderName },
    /// A token of its own, signed with the secret, as the APIs for zaakgericht werken ask for it.
    Zgw {
        client_id: String,
        user_id: String,
        user_representation: String,
    },
}

/// Read again when the receiver refuses it.
pub(crate) struct SecretHeader {
    settings: SecretSettings,
    current: RefCell<Current>,
    turn: Arc<Semaphore>,
}

struct Current {
    secret: String,
    value: HeaderValue,
    made: Instant,
}

const RELOAD: Duration = Duration::from_secs(2);
/// Receivers take a token of its own for an hour at most, some for minutes.
const MINTED_FOR: Duration = Duration::from_secs(60);

impl SecretHeader {
    pub(super) fn open(settings: SecretSettings) -> Result<Self, String> {
        // The error does not say which file: somebody may have put the secret there.
        let current = Current::read(&settings);
        let current = current.map_err(|error| format!("the secret cannot be used: {error}"))?;
        Ok(Self {
            settings,
            current: RefCell::new(current),
            turn: Arc::new(Semaphore::new(1)),
        })
    }

    pub(super) fn proof(&self) -> CredentialHeader {
        let mut current = self.current.borrow_mut();
        if matches!(self.settings.form, Form::Zgw { .. })
            && current.made.elapsed() >= MINTED_FOR
            && let Ok(value) = self.settings.form.value(&current.secret)
        {
            (current.value, current.made) = (value, Instant::now());
        }
        (self.settings.form.name(), current.value.clone())
    }

    /// A file that cannot be read in time changes nothing.
    pub(super) async fn renew(&self, (_, refused): &CredentialHeader) -> Option<CredentialHeader> {
        if let SecretPlace::File(_) = self.settings.place
            && let Ok(Some(renewed)) = timeout(RELOAD, self.read_again(refused)).await
        {
            self.current.replace(renewed);
        }
        let header = self.proof();
        (header.1 != *refused).then_some(header)
    }

    /// One at a time, until the thread has ended.
    async fn read_again(&self, refused: &HeaderValue) -> Option<Current> {
        let turn = Arc::clone(&self.turn).acquire_owned().await.ok()?;
        if self.current.borrow().value != *refused {
            return None;
        }
        let settings = self.settings.clone();
        let read = move || {
            let renewed = Current::read(&settings);
            drop(turn);
            renewed.ok()
        };
        read_aside(read).await?
    }
}

impl Current {
    fn read(settings: &SecretSettings) -> Result<Self, String> {
        let secret = read_secret(&settings.place).map_err(|error| error.to_string())?;
        let value = settings.form.value(&secret)?;
        Ok(Self {
            secret,
            value,
            made: Instant::now(),
        })
    }
}

impl Form {
    fn name(&self) -> HeaderName {
        match self {
            Self::Whole { header } => header.clone(),
            _ => AUTHORIZATION,
        }
    }

    fn value(&self, secret: &str) -> Result<HeaderValue, &'static str> {
        let secret = secret.trim();
        let is_visible = |byte: u8| byte.is_ascii_graphic();
        let text = match self {
            _ if secret.is_empty() => return Err("there is nothing in it"),
            Self::Bearer if !secret.bytes().all(is_visible) => {
                return Err("no bearer token: RFC 6750");
            }
            Self::Bearer => format!("Bearer {secret}"),
            Self::Whole { .. } => secret.to_owned(),
            Self::Basic { user } => {
                let pair = format!("{user}:{secret}");
                format!("Basic {}", STANDARD.encode_to_string(pair))
            }
            Self::Zgw {
                client_id,
                user_id,
                user_representation,
            } => {
                let claims = json!({
                    "iss": client_id, "client_id": client_id, "iat": Timestamp::now().as_second(),
                    "user_id": user_id, "user_representation": user_representation,
                });
                let key = EncodingKey::from_secret(secret.as_bytes());
                let token = jwt::sign(&Header::default(), &claims, &key);
                let token = token.map_err(|_| "no token can be made of it")?;
                format!("Bearer {token}")
            }
        };
        let value = HeaderValue::try_from(text);
        let mut value =
            value.map_err(|_| "a header cannot carry it: it is not one visible line")?;
        value.set_sensitive(true);
        Ok(value)
    }
}
