//! The bearer token, as a header.
//! A 401 has processed nothing (RFC 6750, section 3.1): when the file holds another token by then, the
//! request is sent once more with it.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use http::HeaderValue;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use super::cannot_open;
use crate::config::{SecretPlace, read_secret};
use crate::transport::contract::OpenError;

/// Read again when the receiver refuses it. Never printed.
pub(super) struct Token {
    place: SecretPlace,
    authorization: RefCell<HeaderValue>,
    turn: Arc<Semaphore>,
}

const RELOAD: Duration = Duration::from_secs(2);

impl Token {
    pub(super) fn open(place: SecretPlace) -> Result<Self, OpenError> {
        // The error does not say which file: somebody may have put the token there.
        let unusable = |error| cannot_open(format!("the bearer token cannot be used: {error}"));
        let authorization = read(&place).map_err(unusable)?;
        Ok(Self {
            place,
            authorization: RefCell::new(authorization),
            turn: Arc::new(Semaphore::new(1)),
        })
    }

    pub(super) fn authorization(&self) -> HeaderValue {
        self.authorization.borrow().clone()
    }

    /// The token to send instead of `refused`, if the file holds another. One that cannot be read in time
    /// changes nothing.
    pub(super) async fn reload(&self, refused: &HeaderValue) -> Option<HeaderValue> {
        if let SecretPlace::File(_) = self.place
            && let Ok(Some(renewed)) = timeout(RELOAD, self.read_again(refused)).await
        {
            self.authorization.replace(renewed);
        }
        let authorization = self.authorization();
        (authorization != *refused).then_some(authorization)
    }

    /// On a thread that nobody waits for at the end, one at a time: the file may be on a mount that hangs.
    async fn read_again(&self, refused: &HeaderValue) -> Option<HeaderValue> {
        let turn = Arc::clone(&self.turn).acquire_owned().await.ok()?;
        if self.authorization() != *refused {
            return None;
        }
        let (place, (sender, renewed)) = (self.place.clone(), oneshot::channel());
        thread::spawn(move || {
            sender.send(read(&place).ok()).ok();
            drop(turn);
        });
        renewed.await.ok()?
    }
}

fn read(place: &SecretPlace) -> io::Result<HeaderValue> {
    let secret = read_secret(place)?;
    let token = secret.trim();
    let is_token = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    let value = HeaderValue::try_from(format!("Bearer {token}"));
    let Some(mut value) = value.ok().filter(|_| is_token) else {
        let what = "no bearer token: RFC 6750";
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    };
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
