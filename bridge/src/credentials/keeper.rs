//! Renews a token before anybody asks for it, on a thread of its own: no callback of a client waits for an
//! authorization server, and no runtime that a callback holds up has to drive the request.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};
use tracing::Span;

use super::NoToken;
use super::broker::UNTOLD;
use super::token_client::{Known, PAUSE, TokenClient};

/// The last one; `None` before the first.
pub(super) type Answers = watch::Receiver<Option<Result<(), NoToken>>>;

/// Ends with the client. Its log lines name the connection or route that asked first.
pub(super) fn keeper(client: &Arc<TokenClient>) -> Answers {
    let (sender, answers) = watch::channel(None);
    let (client, span) = (Arc::downgrade(client), Span::current());
    let thread = thread::Builder::new();
    let started = thread.spawn(move || span.in_scope(|| keep(&client, &sender)));
    match started {
        Ok(_) => answers,
        Err(error) => watch::channel(Some(Err(NoToken::unanswered(error.to_string())))).1,
    }
}

fn keep(client: &Weak<TokenClient>, answers: &watch::Sender<Option<Result<(), NoToken>>>) {
    let runtime = match Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            answers.send_replace(Some(Err(NoToken::unanswered(error.to_string()))));
            return;
        }
    };
    runtime.block_on(async {
        while let Some(client) = client.upgrade() {
            let last = client.known().map(|known| known.value);
            let renewed = client.successor(last.as_ref()).await;
            drop(client);
            let pause = renewed.as_ref().map_or(PAUSE, renewed_after);
            answers.send_replace(Some(renewed.map(drop)));
            tokio::select! {
                () = sleep(pause) => {}
                () = answers.closed() => {}
            }
        }
    });
}

/// Well before clients ask, and before whoever shares the token renews it.
fn renewed_after(known: &Known) -> Duration {
    let left = |at: Instant| at.saturating_duration_since(Instant::now());
    (known.renew_at.map_or(UNTOLD, left) / 2).max(Duration::from_secs(1))
}
