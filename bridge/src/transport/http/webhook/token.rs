//! The bearer token, as the header that carries it.
//!
//! A receiver that answers 401 has refused the request for its token (RFC 6750, section 3.1), so it
//! has processed nothing. When the file holds another token by then, as it does after a rotation,
//! the refused request is made once more with that one: this repeats no event, and spares the route
//! from holding its destination until the next probe. The same token would be refused again, and is
//! not sent again; nor is a third request made when the new token is refused too.

use std::cell::RefCell;
use std::io;

use http::HeaderValue;

use super::OpenError;
use crate::config::SecretPlace;
use crate::transport::http::secret::Secret;

/// A token that can be read again when the receiver refuses it. Never printed.
pub(super) struct Token {
    place: SecretPlace,
    authorization: RefCell<HeaderValue>,
}

impl Token {
    pub(super) fn open(place: SecretPlace) -> Result<Self, OpenError> {
        let read = match &place {
            SecretPlace::File(path) => Secret::read(path),
            SecretPlace::Env(name) => std::env::var(name)
                .map(|text| Secret::new(&text))
                .map_err(|_| io::Error::new(io::ErrorKind::NotFound, "not set, or not text")),
        };
        match read.and_then(|secret| header(&secret)) {
            Ok(authorization) => Ok(Self {
                place,
                authorization: RefCell::new(authorization),
            }),
            // Not where it is kept: somebody may have put the token itself there.
            Err(cause) => Err(OpenError::Token {
                cause: cause.to_string(),
            }),
        }
    }

    /// The value of `authorization`.
    pub(super) fn authorization(&self) -> HeaderValue {
        self.authorization.borrow().clone()
    }

    /// Reads a token file again, once `refused` was refused. Says what to send instead, if that is
    /// another token. A file that cannot be read changes nothing.
    pub(super) async fn reload(&self, refused: &HeaderValue) -> Option<HeaderValue> {
        if let SecretPlace::File(path) = self.place.clone() {
            let read = tokio::task::spawn_blocking(move || Secret::read(&path)).await;
            if let Ok(Ok(authorization)) = read.map(|secret| secret.and_then(|it| header(&it))) {
                self.authorization.replace(authorization);
            }
        }
        let authorization = self.authorization();
        (authorization != *refused).then_some(authorization)
    }
}

fn header(secret: &Secret) -> io::Result<HeaderValue> {
    let unfit = || io::Error::new(io::ErrorKind::InvalidData, "no bearer token: RFC 6750");
    let is_token =
        !secret.reveal().is_empty() && secret.reveal().bytes().all(|b| b.is_ascii_graphic());
    if !is_token {
        return Err(unfit());
    }
    let mut value =
        HeaderValue::try_from(format!("Bearer {}", secret.reveal())).map_err(|_| unfit())?;
    value.set_sensitive(true);
    Ok(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn a_token_with_a_line_break_or_nothing_in_it_is_refused_and_not_shown() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["", "\n", "hun\nter2", "hun ter2"] {
            let path = folder.path().join("token");
            std::fs::write(&path, text).unwrap();
            let error = Token::open(SecretPlace::File(path)).err().unwrap();
            assert!(matches!(error, OpenError::Token { .. }), "{text:?}");
            assert!(!error.to_string().contains("ter2"), "{text:?}");
        }
    }

    #[test]
    fn a_variable_that_is_not_set_is_an_error_that_does_not_repeat_its_name() {
        let place = SecretPlace::Env("CENL_NO_SUCH_VARIABLE".to_owned());
        let error = Token::open(place).err().unwrap();
        assert!(!error.to_string().contains("CENL_NO_SUCH_VARIABLE"));
    }
}
