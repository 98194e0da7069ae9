//! `[credentials.NAME]`: how we prove to a server who we are. What is sent for it is never printed.

mod broker;
mod request;
mod secret_header;
mod settings;
#[cfg(test)]
mod tests;
mod token_client;

use std::sync::Arc;
use std::thread;

use http::{HeaderName, HeaderValue};
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout_at};

pub(crate) use broker::{BearerToken, BrokerCredential};
use secret_header::SecretHeader;
pub(crate) use settings::{CREDENTIALS, CredentialSettings, read};
use token_client::TokenClient;

/// A header that proves who sends a request; its value is marked as sensitive.
pub(crate) type CredentialHeader = (HeaderName, HeaderValue);

pub(crate) enum Credential {
    Secret(SecretHeader),
    /// Shared by all that have the same settings.
    Token(Arc<TokenClient>),
}

/// Why there is nothing to send.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{word}: {detail}")]
pub(crate) struct NoToken {
    pub(crate) word: &'static str,
    /// Never holds secrets.
    pub(crate) detail: String,
}

impl NoToken {
    pub(crate) const REMEDY: &'static str =
        "see that the authorization server runs, knows this client and takes how it proves itself";

    /// The word, where a receiver has refused the token that there is.
    pub(crate) fn after_refusal(&self) -> &'static str {
        match self.word {
            "token endpoint refuses us" => "status 401, and token endpoint refuses us",
            "token endpoint gives no token" => "status 401, and token endpoint gives no token",
            "token endpoint does not answer" => "status 401, and token endpoint does not answer",
            _ => "status 401, and what proves who we are cannot be read",
        }
    }

    fn unanswered(detail: String) -> Self {
        let word = "token endpoint does not answer";
        Self { word, detail }
    }
}

impl Credential {
    /// The error says what is wrong with a secret. No server is asked.
    pub(crate) fn open(settings: &CredentialSettings) -> Result<Self, String> {
        Ok(match settings {
            CredentialSettings::Secret(settings) => {
                Self::Secret(SecretHeader::open(settings.clone())?)
            }
            CredentialSettings::OAuth(settings) => Self::Token(TokenClient::shared(settings)),
        })
    }

    pub(crate) async fn proof(&self) -> Result<CredentialHeader, NoToken> {
        match self {
            Self::Secret(secret) => Ok(secret.proof()),
            Self::Token(client) => client.proof().await,
        }
    }

    /// Another one than was refused with 401, if there is one in time. The error says why no server gives one.
    pub(crate) async fn renew(
        &self,
        refused: &CredentialHeader,
        deadline: Instant,
    ) -> Result<Option<CredentialHeader>, NoToken> {
        let renew = async {
            match self {
                Self::Secret(secret) => Ok(secret.renew(refused).await),
                Self::Token(client) => client.renew(refused).await,
            }
        };
        timeout_at(deadline, renew).await.unwrap_or(Ok(None))
    }
}

/// On a thread that nobody waits for at the end: a file may be on a mount that hangs. `None` where there is no thread.
async fn read_aside<T: Send + 'static>(read: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    let (sender, done) = oneshot::channel();
    // Then the sender is gone.
    drop(thread::Builder::new().spawn(move || sender.send(read()).ok()));
    done.await.ok()
}
