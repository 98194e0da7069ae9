//! Calls back who asked for consent before it was given (webhook specification 1.0.2, section 4.1.3).

use std::rc::Rc;
use std::time::Duration;

use futures_util::future::join_all;
use http::{HeaderValue, Request, StatusCode, Uri};
use http_body_util::Full;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use super::consent_requests::{self, ConsentRequest};
use super::handshake::allows;
use super::path::IngressPath;
use crate::fetch::{Reach, fetch};
use crate::transport::http::{ALLOWED_ORIGIN, ALLOWED_RATE};

/// Calls under way, of one path.
const CALLS_MAX: usize = 8;
const TIMEOUT: Duration = Duration::from_secs(10);
/// Between two calls at first; twice as long after each, up to the other.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(5 * 60);
/// After so long a sender that does not answer is called no more.
const PATIENCE: Duration = Duration::from_secs(60 * 60);

/// Those whose origin the path allows by now. Ends when all have heard it, or will not.
pub(super) async fn call_back(path: Rc<IngressPath>) {
    let settings = &path.settings;
    let requests = consent_requests::of(settings.listener.listen, &settings.path);
    let allowed = settings.allowed_origins.as_deref().unwrap_or_default();
    let allowed = requests
        .into_iter()
        .filter(|it| allows(allowed, &it.origin));
    let calls = Semaphore::new(CALLS_MAX);
    join_all(allowed.map(|it| tell(&path, it, &calls))).await;
}

/// Who does not answer holds up nobody else between two calls.
async fn tell(path: &IngressPath, request: ConsentRequest, calls: &Semaphore) {
    let (began, mut pause) = (Instant::now(), FIRST_PAUSE);
    let origin = &request.origin;
    while consent_requests::is_kept(&request) {
        let called = {
            let _turn = calls.acquire().await;
            call(path, &request).await
        };
        let cause = match &called {
            Ok(status) if status.is_success() => {
                tracing::info!(origin, "a sender was called back and knows of its consent");
                break;
            }
            Ok(status) => format!("status {status}"),
            Err(cause) => cause.clone(),
        };
        if called.is_ok_and(is_final) || began.elapsed() + pause > PATIENCE {
            let remedy = "let the sender ask again: it is answered at once";
            tracing::error!(
                origin,
                cause,
                remedy,
                "a sender was not told of its consent"
            );
            break;
        }
        let remedy = "see that it answers; a host without a public address is called if `callback_hosts` has it";
        tracing::warn!(origin, cause, remedy, "a sender cannot be called back yet");
        sleep(pause.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
        pause = PAUSE_MAX.min(2 * pause);
    }
    consent_requests::remove(&request, &path.settings.listener).await;
}

/// The same call would be answered the same.
fn is_final(status: StatusCode) -> bool {
    !status.is_server_error() && ![408, 425, 429].contains(&status.as_u16())
}

async fn call(path: &IngressPath, request: &ConsentRequest) -> Result<StatusCode, String> {
    let listener = &path.settings.listener;
    let url = request.callback.parse::<Uri>();
    let url = url.map_err(|_| "its URL is none".to_owned())?;
    let is_named = |host: &String| url.host().is_some_and(|it| it.eq_ignore_ascii_case(host));
    let reach = match listener.callback_hosts.iter().any(is_named) {
        true => Reach::Everything,
        false => Reach::Public,
    };
    // GET is what every sender takes: people may do it by hand, in a browser.
    let call = Request::get(url)
        .header(ALLOWED_ORIGIN, &request.origin)
        .header(ALLOWED_RATE, HeaderValue::from(path.settings.allowed_rate))
        .body(Full::default());
    let call = call.map_err(|error| error.to_string())?;
    let answer = fetch(call, &listener.callback_tls, reach, TIMEOUT).await?;
    Ok(answer.status())
}
