//! One OAuth client: its token, and one request at a time for the next one.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::HeaderValue;
use http::header::AUTHORIZATION;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::broker::{Answers, keeper};
use super::request::{TokenRequest, ask, prepare};
use super::settings::OAuthSettings;
use super::{CredentialHeader, NoToken, read_aside};
use crate::logging::Throttle;
use crate::shared::{Shared, lock};

/// For a token, reading files included; less than a delivery has by default.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The same while there is one that is still good.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(1);
/// A token is renewed so long before it expires, or in the last fifth of its time where that is shorter.
const MARGIN: Duration = Duration::from_secs(60);
/// So long a failure stands for all who ask.
pub(super) const PAUSE: Duration = Duration::from_secs(2);

pub(crate) struct TokenClient {
    pub(super) settings: OAuthSettings,
    token: Mutex<Option<Token>>,
    /// Held while a token is asked for; the last failure.
    asking: tokio::sync::Mutex<Option<(Instant, NoToken)>>,
    throttle: Throttle,
    /// A broker has refused the token.
    pub(super) refused: Arc<Notify>,
    /// Where somebody asks who cannot wait.
    keeper: Mutex<Option<Answers>>,
}

#[derive(Clone)]
pub(super) struct Token {
    pub(super) value: HeaderValue,
    pub(super) asked: Instant,
    /// `None` where the server does not say: until it is refused.
    pub(super) good_for: Option<Duration>,
}

impl TokenClient {
    pub(super) fn shared(settings: &OAuthSettings) -> Arc<Self> {
        static CLIENTS: Shared<OAuthSettings, TokenClient> = Shared::new();
        CLIENTS.get(settings.clone(), || Self {
            settings: settings.clone(),
            token: Mutex::default(),
            asking: tokio::sync::Mutex::default(),
            throttle: Throttle::default(),
            refused: Arc::default(),
            keeper: Mutex::default(),
        })
    }

    pub(crate) async fn proof(&self) -> Result<CredentialHeader, NoToken> {
        match self.known() {
            Some(known) if known.is_due() => {
                // A token that is still good outlives a failure, and nobody else waits for its successor.
                if let Ok(mut failed) = self.asking.try_lock() {
                    let last = Some(&known.value);
                    drop(self.ask(&mut failed, last, RENEWAL_TIMEOUT).await);
                }
                Ok(self.known().unwrap_or(known).proof())
            }
            Some(known) => Ok(known.proof()),
            None => Ok(self.successor(None).await?.proof()),
        }
    }

    /// Another one than was refused: somebody else's, or a new one.
    pub(super) async fn renew(
        &self,
        (_, refused): &CredentialHeader,
    ) -> Result<Option<CredentialHeader>, NoToken> {
        let known = self.successor(Some(refused)).await?;
        Ok((known.value != *refused).then(|| known.proof()))
    }

    pub(super) async fn successor(&self, last: Option<&HeaderValue>) -> Result<Token, NoToken> {
        let mut failed = self.asking.lock().await;
        self.ask(&mut failed, last, TIMEOUT).await
    }

    /// Of a thread that renews the token from now on; where it could not start, another is tried.
    pub(super) fn kept(self: &Arc<Self>) -> Answers {
        let mut kept = lock(&self.keeper);
        let answers = match kept.take() {
            Some(answers) if answers.has_changed().is_ok() => answers,
            _ => keeper(self),
        };
        *kept = Some(answers.clone());
        answers
    }

    /// One that is good.
    pub(super) fn known(&self) -> Option<Token> {
        let token = lock(&self.token);
        let is_good = |known: &&Token| known.expires_at().is_none_or(|at| Instant::now() < at);
        token.as_ref().filter(is_good).cloned()
    }

    /// Unless somebody else got another than the last one meanwhile.
    async fn ask(
        &self,
        failed: &mut Option<(Instant, NoToken)>,
        last: Option<&HeaderValue>,
        patience: Duration,
    ) -> Result<Token, NoToken> {
        if let Some(known) = self.known().filter(|known| last != Some(&known.value)) {
            return Ok(known);
        }
        if let Some((_, error)) = failed.as_ref().filter(|(at, _)| at.elapsed() < PAUSE) {
            return Err(error.clone());
        }
        // In a box, as what is rare would make each delivery a large future.
        match Box::pin(self.fetch(patience)).await {
            Ok(token) => {
                *failed = None;
                *lock(&self.token) = Some(token.clone());
                Ok(token)
            }
            Err(error) => {
                *failed = Some((Instant::now(), error.clone()));
                Err(error)
            }
        }
    }

    async fn fetch(&self, patience: Duration) -> Result<Token, NoToken> {
        let fetched = timeout(patience, async {
            let request = self.request().await?;
            ask(&self.settings, request, patience).await
        });
        let fetched = fetched.await.unwrap_or_else(|_| {
            let server = self.settings.server();
            Err(NoToken::unanswered(format!("{server}: no answer in time")))
        });
        if let Err(error) = &fetched
            && let Some(held_back) = self.throttle.lets_through(error.word)
        {
            let client_id = &self.settings.client_id;
            let remedy = NoToken::REMEDY;
            tracing::warn!(
                client_id,
                cause = error.word,
                detail = error.detail,
                held_back,
                remedy,
                "no token can be had"
            );
        }
        fetched
    }

    async fn request(&self) -> Result<TokenRequest, NoToken> {
        let settings = self.settings.clone();
        let prepared = read_aside(move || prepare(&settings)).await;
        let prepared =
            prepared.unwrap_or_else(|| Err(("client_authentication", "no thread".to_owned())));
        prepared.map_err(|(key, what)| NoToken {
            word: "what proves who we are cannot be read",
            detail: format!("{key}: {what}"),
        })
    }
}

impl Token {
    pub(super) fn expires_at(&self) -> Option<Instant> {
        Some(self.asked + self.good_for?)
    }

    pub(super) fn renew_at(&self) -> Option<Instant> {
        let lifetime = self.good_for?;
        Some(self.asked + lifetime - MARGIN.min(lifetime / 5))
    }

    fn is_due(&self) -> bool {
        self.renew_at().is_some_and(|at| at <= Instant::now())
    }

    fn proof(&self) -> CredentialHeader {
        (AUTHORIZATION, self.value.clone())
    }
}
