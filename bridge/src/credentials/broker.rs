//! What a broker is told of us: no header, and asked for by its client in callbacks that must not wait. A thread
//! of its own renews a token before they ask: none of them waits for an authorization server, and no runtime
//! that a callback holds up has to drive the request.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tracing::{Instrument, Span};

use super::NoToken;
use super::token_client::{PAUSE, Token, TokenClient};
use crate::shared::spawn_thread;

/// Of a token of which nobody says how long it is good: it is asked for again before.
const UNTOLD: Duration = Duration::from_secs(60 * 60);

const REFUSED_PAUSE: Duration = Duration::from_secs(if cfg!(test) { 1 } else { 10 });

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
        Ok((token.to_owned(), left(known.expires_at())))
    }

    /// Another one is asked for, where it is still the last one.
    pub(crate) fn refused(&self, token: &str) {
        if let Self::Renewed(client) = self
            && self.now().is_ok_and(|(last, _)| last == token)
        {
            client.refused.notify_one();
        }
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

/// The last one; `None` before the first.
pub(super) type Answers = watch::Receiver<Option<Result<(), NoToken>>>;

/// Ends with the client. Its log lines name the connection or route that asked first.
pub(super) fn keeper(client: &Arc<TokenClient>) -> Answers {
    let (sender, answers) = watch::channel(None);
    let (client, span) = (Arc::downgrade(client), Span::current());
    let work = move || keep(client, sender).instrument(span);
    match spawn_thread("token".to_owned(), work) {
        Ok(_) => answers,
        Err(error) => watch::channel(Some(Err(NoToken::unanswered(error.to_string())))).1,
    }
}

async fn keep(client: Weak<TokenClient>, answers: watch::Sender<Option<Result<(), NoToken>>>) {
    let mut refused_pause = REFUSED_PAUSE;
    while let Some(client) = client.upgrade() {
        let last = client.known().map(|known| known.value);
        let renewed = client.successor(last.as_ref()).await;
        let pause = renewed.as_ref().map_or(PAUSE, renewed_after);
        answers.send_replace(Some(renewed.map(drop)));
        let refused = Arc::clone(&client.refused);
        drop(client);
        let asked_again = async {
            // All clients of the connection say so, and a broker may refuse every token.
            sleep(refused_pause.min(pause)).await;
            refused.notified().await;
        };
        tokio::select! {
            () = sleep(pause) => refused_pause = REFUSED_PAUSE,
            () = asked_again => refused_pause = refused_pause.saturating_mul(2),
            () = answers.closed() => {}
        }
    }
}

/// Well before clients ask, and before whoever shares the token renews it.
fn renewed_after(known: &Token) -> Duration {
    (left(known.renew_at()) / 2).max(Duration::from_secs(1))
}

fn left(until: Option<Instant>) -> Duration {
    until.map_or(UNTOLD, |at| at.saturating_duration_since(Instant::now()))
}
