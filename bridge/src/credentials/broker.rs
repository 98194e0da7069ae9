//! What a broker is told of us: no header, and asked for by its client in callbacks that must not wait.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::NoToken;
use super::token_client::TokenClient;

/// Of a token of which nobody says how long it is good: it is asked for again before.
pub(super) const UNTOLD: Duration = Duration::from_secs(60 * 60);

#[derive(Clone)]
pub(crate) enum BrokerCredential {
    Token(BearerToken),
    Password { user: String, password: Arc<str> },
}

#[derive(Clone)]
pub(crate) enum BearerToken {
    /// Kept in a file or variable.
    Fixed(Arc<str>),
    /// Of an authorization server.
    Renewed(Arc<TokenClient>),
}

impl BearerToken {
    /// Waits until it is there, or it is known why there is none.
    pub(crate) async fn ready(&self) -> Result<String, NoToken> {
        if let Self::Renewed(client) = self {
            let mut answers = client.kept();
            // Whoever sends ends with the client.
            drop(answers.wait_for(Option::is_some).await);
        }
        self.now().map(|(token, _)| token)
    }

    /// Never waits. With how long it is good.
    pub(crate) fn now(&self) -> Result<(String, Duration), NoToken> {
        let client = match self {
            Self::Fixed(token) => return Ok((token.to_string(), UNTOLD)),
            Self::Renewed(client) => client,
        };
        let answers = client.kept();
        let Some(known) = client.known() else {
            let last = answers.borrow().clone();
            let first = || NoToken::unanswered("it is asked for the first token".to_owned());
            return Err(last.and_then(Result::err).unwrap_or_else(first));
        };
        let token = known.value.to_str().ok();
        let token = token.and_then(|value| value.strip_prefix("Bearer "));
        let token = token.ok_or_else(|| NoToken {
            word: "token endpoint gives no token",
            detail: "it is not text".to_owned(),
        })?;
        let left = |at: Instant| at.saturating_duration_since(Instant::now());
        Ok((token.to_owned(), known.expires_at.map_or(UNTOLD, left)))
    }

    /// Tells it from others and shows nothing of it.
    pub(crate) fn fingerprint(&self) -> String {
        let mut hasher = DefaultHasher::new();
        match self {
            Self::Fixed(token) => token.hash(&mut hasher),
            Self::Renewed(client) => client.settings.hash(&mut hasher),
        }
        format!("{:x}", hasher.finish())
    }
}
