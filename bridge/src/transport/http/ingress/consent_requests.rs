//! Who asked for consent that no setting gives, and where to call each of them back once one does. They outlive
//! the routes of a process, and with a file the process. The URLs hold secrets of the senders, and are shown nowhere.

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::settings::ListenerSettings;
use crate::logging::Throttle;
use crate::transport::http::state_file;

/// Of a listener. Beyond it the one that asked first makes room: who still wants to send asks again.
const REQUESTS_MAX: usize = 1000;
/// In a line of the log: the newest.
const ORIGINS_SHOWN: usize = 10;

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ConsentRequest {
    pub(super) listen: SocketAddr,
    pub(super) path: String,
    /// In lower case.
    pub(super) origin: String,
    pub(super) callback: String,
}

/// Of all listeners, the oldest first.
fn kept() -> MutexGuard<'static, Vec<ConsentRequest>> {
    static KEPT: Mutex<Vec<ConsentRequest>> = Mutex::new(Vec::new());
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(super) fn of(listen: SocketAddr, path: &str) -> Vec<ConsentRequest> {
    let of_path = |it: &&ConsentRequest| it.listen == listen && it.path == path;
    kept().iter().filter(of_path).cloned().collect()
}

pub(super) fn is_kept(request: &ConsentRequest) -> bool {
    kept().contains(request)
}

/// The newest of an origin for a path.
pub(super) async fn keep(request: ConsentRequest, settings: &ListenerSettings) {
    static LOG: LazyLock<Throttle> = LazyLock::new(Throttle::default);
    let ConsentRequest { listen, path, .. } = request.clone();
    insert(request);
    if let Some(held_back) = LOG.lets_through(&format!("{listen}{path}")) {
        let kept = of(listen, &path);
        let origins = kept.iter().rev().take(ORIGINS_SHOWN);
        let origins: Vec<_> = origins.map(|it| it.origin.as_str()).collect();
        let (origins, waiting) = (origins.join(", "), kept.len());
        let remedy = "to let one send, add it to `allowed_origins` of the path and reload: it is then called back";
        tracing::warn!(
            path,
            origins,
            waiting,
            held_back,
            remedy,
            "a sender asks for consent"
        );
    }
    write(settings).await;
}

fn insert(request: ConsentRequest) {
    let mut kept = kept();
    let is_other = |it: &ConsentRequest| {
        (it.listen, &it.path, &it.origin) != (request.listen, &request.path, &request.origin)
    };
    kept.retain(is_other);
    let is_beside = |it: &&ConsentRequest| it.listen == request.listen;
    if kept.iter().filter(is_beside).count() >= REQUESTS_MAX
        && let Some(oldest) = kept.iter().position(|it| is_beside(&it))
    {
        kept.remove(oldest);
    }
    kept.push(request);
}

/// Unless it has asked anew.
pub(super) async fn remove(request: &ConsentRequest, settings: &ListenerSettings) {
    kept().retain(|other| other != request);
    write(settings).await;
}

/// What a process before has left, unless it is known better.
pub(super) fn read(file: &Path) -> io::Result<()> {
    let read: Vec<ConsentRequest> = state_file::read(file)?;
    for request in read {
        let is_known =
            (of(request.listen, &request.path).iter()).any(|it| it.origin == request.origin);
        if !is_known {
            insert(request);
        }
    }
    Ok(())
}

async fn write(settings: &ListenerSettings) {
    /// The last state is the last written.
    static TURN: Mutex<()> = Mutex::new(());
    let (listen, Some(file)) = (settings.listen, settings.consent_requests_file.clone()) else {
        return;
    };
    let written = spawn_blocking(move || {
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let mut requests = kept().clone();
        requests.retain(|request| request.listen == listen);
        state_file::write(&file, &requests)
    });
    if let Ok(Err(error)) = written.await {
        let remedy = "correct that, or name another `consent_requests_file`";
        tracing::error!(%error, remedy, "requests for consent are kept in memory alone");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::config::tests::read as read_settings;

    fn listener(json: serde_json::Value) -> ListenerSettings {
        read_settings(&json.to_string(), ListenerSettings::read).unwrap()
    }

    fn request(settings: &ListenerSettings, origin: &str, callback: &str) -> ConsentRequest {
        ConsentRequest {
            listen: settings.listen,
            path: "/events".to_owned(),
            origin: origin.to_owned(),
            callback: callback.to_owned(),
        }
    }

    fn kept_of(settings: &ListenerSettings) -> Vec<(String, String)> {
        let kept = of(settings.listen, "/events").into_iter();
        kept.map(|it| (it.origin, it.callback)).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned =
            |(origin, callback): &(&str, &str)| ((*origin).to_owned(), (*callback).to_owned());
        pairs.iter().map(owned).collect()
    }

    #[tokio::test]
    async fn the_newest_of_an_origin_is_kept_over_restarts_and_nobody_else_reads_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("requests.json");
        let settings = listener(serde_json::json!({
            "listen": "127.0.0.1:1", "consent_requests_file": file,
        }));
        let of_origin = |origin, callback| request(&settings, origin, callback);
        for (origin, callback) in [
            ("a", "https://a/1"),
            ("b", "https://b/1"),
            ("a", "https://a/2"),
        ] {
            keep(of_origin(origin, callback), &settings).await;
        }
        let expected = pairs(&[("b", "https://b/1"), ("a", "https://a/2")]);
        assert_eq!(kept_of(&settings), expected);
        // What was asked before does not take away what was asked since.
        remove(&of_origin("a", "https://a/1"), &settings).await;
        assert_eq!(kept_of(&settings), expected);
        assert!(of(settings.listen, "/other").is_empty());
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        kept().retain(|it| it.listen != settings.listen);
        insert(of_origin("b", "https://b/2"));
        read(&file).unwrap();
        let expected = pairs(&[("b", "https://b/2"), ("a", "https://a/2")]);
        assert_eq!(kept_of(&settings), expected);
        std::fs::write(&file, "not what the bridge writes: https://a/key").unwrap();
        let error = read(&file).unwrap_err();
        assert!(!error.to_string().contains("key"), "{error}");
    }

    #[tokio::test]
    async fn their_number_is_bounded() {
        let settings = listener(serde_json::json!({ "listen": "127.0.0.1:2" }));
        for number in 0..2 * REQUESTS_MAX {
            keep(
                request(&settings, &number.to_string(), "https://s"),
                &settings,
            )
            .await;
        }
        let kept = kept_of(&settings);
        assert_eq!(kept.len(), REQUESTS_MAX);
        assert_eq!(kept.last().unwrap().0, "1999");
    }
}
