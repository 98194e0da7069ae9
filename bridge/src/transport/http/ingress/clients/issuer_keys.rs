//! The keys of an issuer, from its URL: fetched when a listener opens, in an interval, and when a token names
//! one that is not there. Those of before serve on while there is no answer.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{Request, StatusCode, Uri};
use http_body_util::Full;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::key_set::KeySet;
use crate::fetch::{Reach, fetch};
use crate::shared::{Shared, lock};
use crate::tls::ClientTls;

const INTERVAL: Duration = Duration::from_secs(10 * 60);
const TIMEOUT: Duration = Duration::from_secs(10);
/// After a failure at first; twice as long after each, up to the interval.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// Between two looks for keys that tokens name and that are not there: anyone can name one.
const UNKNOWN_PAUSE: Duration = Duration::from_secs(10);

pub(in crate::transport::http::ingress) struct IssuerKeys {
    url: Uri,
    tls: ClientTls,
    state: Mutex<State>,
    wanted: Notify,
    /// Held by the listener that fetches.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    keys: Option<Arc<KeySet>>,
    /// `None` while they are looked for.
    looked: Option<Instant>,
    failures: u32,
}

impl IssuerKeys {
    pub(super) fn shared(url: &Uri, tls: &ClientTls) -> Arc<Self> {
        static KEYS: Shared<(Uri, ClientTls), IssuerKeys> = Shared::new();
        KEYS.get((url.clone(), tls.clone()), || Self {
            url: url.clone(),
            tls: tls.clone(),
            state: Mutex::default(),
            wanted: Notify::new(),
            turn: tokio::sync::Mutex::default(),
        })
    }

    pub(super) fn current(&self) -> Option<Arc<KeySet>> {
        lock(&self.state).keys.clone()
    }

    /// Whether a key may come that is not here: whoever brings its token is to try again.
    pub(super) fn may_come(&self, id: Option<&str>) -> bool {
        let mut state = lock(&self.state);
        let is_known = |keys: &Arc<KeySet>| id.is_none_or(|id| keys.names(id));
        if state.keys.as_ref().is_some_and(is_known) {
            return false;
        }
        if state.looked.is_some_and(|at| at.elapsed() >= UNKNOWN_PAUSE) {
            state.looked = None;
            self.wanted.notify_one();
        }
        state.looked.is_none() || state.failures > 0
    }

    /// Never ends; may be dropped.
    pub(in crate::transport::http::ingress) async fn follow(self: Arc<Self>) {
        let _turn = self.turn.lock().await;
        loop {
            let pause = self.keep(self.fetch().await);
            drop(timeout(pause, self.wanted.notified()).await);
        }
    }

    async fn fetch(&self) -> Result<KeySet, String> {
        let request = Request::get(&self.url).header("accept", "application/json");
        let request = request.body(Full::default());
        let request = request.map_err(|error| error.to_string())?;
        let answer = fetch(request, &self.tls, Reach::Everything, TIMEOUT).await?;
        match answer.status() {
            StatusCode::OK => KeySet::parse(answer.body()),
            status => Err(format!("status {status}")),
        }
    }

    /// Returns after which time they are to be fetched again.
    fn keep(&self, fetched: Result<KeySet, String>) -> Duration {
        let mut state = lock(&self.state);
        state.looked = Some(Instant::now());
        let issuer = self.url.host().unwrap_or_default();
        match fetched {
            Ok(keys) => {
                if state.failures > 0 || state.keys.is_none() {
                    tracing::info!(issuer, "the keys of an issuer are there");
                }
                (state.keys, state.failures) = (Some(Arc::new(keys)), 0);
                INTERVAL.mul_f64(0.9 + fastrand::f64() / 5.0)
            }
            Err(cause) => {
                let pause = FIRST_PAUSE * 2_u32.pow(state.failures.min(16));
                state.failures += 1;
                let serves_on = state.keys.is_some();
                let remedy = "see that `jwks_url` is right and answers; tokens are judged by the keys of before, if there are any";
                tracing::warn!(
                    issuer,
                    cause,
                    serves_on,
                    remedy,
                    "the keys of an issuer cannot be fetched"
                );
                pause.min(INTERVAL).mul_f64(0.5 + fastrand::f64() / 2.0)
            }
        }
    }
}

/// A query may be secret.
impl fmt::Debug for IssuerKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "IssuerKeys({:?})", self.url.host())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::time::advance;

    use super::*;

    fn keys(id: &str) -> Result<KeySet, String> {
        let key = serde_json::json!({
            "kty": "OKP", "crv": "Ed25519", "kid": id, "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
        });
        KeySet::parse(serde_json::json!({ "keys": [key] }).to_string().as_bytes())
    }

    fn issuer(path: &str) -> Arc<IssuerKeys> {
        let url = format!("https://issuer.example/{path}").parse().unwrap();
        IssuerKeys::shared(&url, &ClientTls::default())
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_that_names_an_unknown_key_brings_a_look_once_in_a_while() {
        let issuer = issuer("unknown");
        assert!(issuer.may_come(None), "nothing was fetched yet");
        issuer.keep(keys("a"));
        for known in [None, Some("a")] {
            assert!(!issuer.may_come(known));
        }
        assert!(!issuer.may_come(Some("b")), "it was just looked for");
        advance(UNKNOWN_PAUSE).await;
        for _ in 0..3 {
            assert!(issuer.may_come(Some("b")));
        }
        let wanted = timeout(Duration::from_secs(1), issuer.wanted.notified());
        assert!(wanted.await.is_ok());
        assert!(issuer.keep(keys("a")) > INTERVAL / 2);
        assert!(!issuer.may_come(Some("b")));
        let wanted = timeout(Duration::from_secs(1), issuer.wanted.notified());
        assert!(wanted.await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn keys_of_before_serve_while_there_is_no_answer() {
        let issuer = issuer("away");
        issuer.keep(Err("away".to_owned()));
        assert!(issuer.current().is_none() && issuer.may_come(None));
        issuer.keep(keys("a"));
        for failures in 0..20 {
            let wait = issuer.keep(Err("away".to_owned()));
            let most = INTERVAL.min(FIRST_PAUSE * 2_u32.pow(failures));
            assert!(wait >= most / 2 && wait <= most, "{failures}: {wait:?}");
        }
        assert!(issuer.current().unwrap().names("a"));
        assert!(!issuer.may_come(Some("a")));
        assert!(issuer.may_come(Some("b")), "nobody can tell");
        // Routes that start anew find them.
        let again = IssuerKeys::shared(&issuer.url, &issuer.tls);
        assert!(Arc::ptr_eq(&issuer, &again));
    }
}
