//! Who asked for consent that no setting gives, and where to call each of them back once one does. They outlive
//! the routes of a process, and with a file the process. The URLs hold secrets of the senders, and are shown nowhere.

use std::collections::HashSet;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{LazyLock, Mutex, MutexGuard};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::settings::ListenerSettings;
use crate::logging::Throttle;
use crate::shared::lock;
use crate::transport::state_file;

/// Of a listener. Beyond it the one that asked first makes room: who still wants to send asks again.
const REQUESTS_MAX: usize = 1000;
/// Of one origin for one path: a platform may send for many, and anybody may write its name.
const OF_ORIGIN_MAX: usize = 8;
/// Its path or listener may be gone by then. Who still wants to send asks again.
const KEPT_FOR: SignedDuration = SignedDuration::from_hours(90 * 24);
const DAY: SignedDuration = SignedDuration::from_hours(24);
/// In a line of the log: the newest.
const ORIGINS_SHOWN: usize = 10;
/// For the file.
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Clone, Serialize, Deserialize)]
pub(super) struct ConsentRequest {
    pub(super) listen: SocketAddr,
    pub(super) path: String,
    /// In lower case.
    pub(super) origin: String,
    pub(super) callback: String,
    /// Older files do not have it.
    #[serde(default = "Timestamp::now", alias = "since")]
    pub(super) asked_at: Timestamp,
}

/// Whoever asks again, whenever that is, asks for the same.
impl PartialEq for ConsentRequest {
    fn eq(&self, other: &Self) -> bool {
        (self.listen, &self.path, &self.origin, &self.callback)
            == (other.listen, &other.path, &other.origin, &other.callback)
    }
}

impl ConsentRequest {
    fn is_recent(&self) -> bool {
        Timestamp::now().duration_since(self.asked_at) < KEPT_FOR
    }
}

/// Of all listeners.
#[derive(Default)]
struct Kept {
    /// The oldest first.
    requests: Vec<ConsentRequest>,
    /// Listeners whose requests in the file are others than here.
    unwritten: HashSet<SocketAddr>,
}

fn kept() -> MutexGuard<'static, Kept> {
    static KEPT: LazyLock<Mutex<Kept>> = LazyLock::new(Mutex::default);
    lock(&KEPT)
}

pub(super) fn of(listen: SocketAddr, path: &str) -> Vec<ConsentRequest> {
    let of_path = |it: &&ConsentRequest| it.listen == listen && it.path == path;
    kept().requests.iter().filter(of_path).cloned().collect()
}

pub(super) fn is_kept(request: &ConsentRequest) -> bool {
    kept().requests.contains(request)
}

/// Those of an origin for a path that are the newest.
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
    kept.requests.retain(ConsentRequest::is_recent);
    if let Some(known) = kept.requests.iter_mut().find(|it| **it == request) {
        // Who asks again still wants to send.
        if request.asked_at.duration_since(known.asked_at) > DAY {
            known.asked_at = request.asked_at;
            kept.unwritten.insert(request.listen);
        }
        return;
    }
    let of_listener = |it: &ConsentRequest| it.listen == request.listen;
    let of_origin = |it: &ConsentRequest| {
        of_listener(it) && (&it.path, &it.origin) == (&request.path, &request.origin)
    };
    make_room(&mut kept.requests, of_origin, OF_ORIGIN_MAX);
    make_room(&mut kept.requests, of_listener, REQUESTS_MAX);
    kept.unwritten.insert(request.listen);
    kept.requests.push(request);
}

/// For one more of those.
fn make_room(
    requests: &mut Vec<ConsentRequest>,
    is_one: impl Fn(&ConsentRequest) -> bool,
    most: usize,
) {
    if requests.iter().filter(|it| is_one(it)).count() >= most
        && let Some(oldest) = requests.iter().position(is_one)
    {
        requests.remove(oldest);
    }
}

pub(super) async fn remove(request: &ConsentRequest, settings: &ListenerSettings) {
    {
        let mut kept = kept();
        kept.requests.retain(|other| other != request);
        kept.unwritten.insert(request.listen);
    }
    write(settings).await;
}

/// What a process before has left.
pub(super) fn read(file: &Path) -> io::Result<()> {
    let read: Vec<ConsentRequest> = state_file::read(file)?;
    let recent = read.into_iter().filter(ConsentRequest::is_recent);
    recent.for_each(insert);
    Ok(())
}

/// One at a time: those who come meanwhile are written together by the next.
async fn write(settings: &ListenerSettings) {
    static TURN: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
    static LOG: LazyLock<Throttle> = LazyLock::new(Throttle::default);
    let (listen, Some(file)) = (settings.listen, settings.consent_requests_file.clone()) else {
        return;
    };
    let writing = async {
        // Held until the file is written, also where nobody waits for that any more.
        let turn = TURN.lock().await;
        if !kept().unwritten.remove(&listen) {
            return Ok(());
        }
        let written = spawn_blocking(move || {
            let mut requests = kept().requests.clone();
            requests.retain(|request| request.listen == listen);
            // Other listeners may keep theirs in the same file, or did so before their address changed.
            let others: Vec<ConsentRequest> = state_file::read(&file).unwrap_or_default();
            let others = others.into_iter().filter(ConsentRequest::is_recent);
            requests.extend(others.filter(|it| it.listen != listen));
            let written = state_file::write(&file, 0o600, &requests);
            if written.is_err() {
                kept().unwritten.insert(listen);
            }
            drop(turn);
            written
        });
        written.await.map_err(io::Error::from).flatten()
    };
    let written = timeout(WRITE_TIMEOUT, writing).await;
    if let Err(error) = written.map_err(io::Error::from).flatten()
        && let Some(held_back) = LOG.lets_through(&listen.to_string())
    {
        let remedy = "correct that, or name another `consent_requests_file`";
        tracing::error!(%error, held_back, remedy, "requests for consent are kept in memory alone");
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;

    use super::*;
    use crate::config::tests::read as read_settings;

    fn listener(json: serde_json::Value) -> ListenerSettings {
        read_settings(&json.to_string(), ListenerSettings::read).unwrap()
    }

    fn place() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("requests.json");
        (folder, file)
    }

    fn in_file(port: u16, file: &Path) -> ListenerSettings {
        let listen = format!("127.0.0.1:{port}");
        listener(serde_json::json!({ "listen": listen, "consent_requests_file": file }))
    }

    fn request(settings: &ListenerSettings, origin: &str, callback: &str) -> ConsentRequest {
        ConsentRequest {
            listen: settings.listen,
            path: "/events".to_owned(),
            origin: origin.to_owned(),
            callback: callback.to_owned(),
            asked_at: Timestamp::now(),
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
    async fn the_newest_of_an_origin_are_kept_over_restarts_and_nobody_else_reads_them() {
        let (_folder, file) = place();
        let settings = in_file(1, &file);
        let of_origin = |origin, callback| request(&settings, origin, callback);
        for (origin, callback) in [
            ("a", "https://a/1"),
            ("b", "https://b/1"),
            ("a", "https://a/2"),
        ] {
            keep(of_origin(origin, callback), &settings).await;
        }
        // Asking again changes nothing.
        std::fs::write(&file, "untouched").unwrap();
        keep(of_origin("b", "https://b/1"), &settings).await;
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "untouched");
        // What was asked before does not take away what was asked since.
        remove(&of_origin("a", "https://a/1"), &settings).await;
        let expected = pairs(&[("b", "https://b/1"), ("a", "https://a/2")]);
        assert_eq!(kept_of(&settings), expected);
        assert!(of(settings.listen, "/other").is_empty());
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        kept().requests.retain(|it| it.listen != settings.listen);
        insert(of_origin("b", "https://b/1"));
        read(&file).unwrap();
        assert_eq!(kept_of(&settings), expected);
        // Others of the same name displace none of the others.
        for number in 0..2 * OF_ORIGIN_MAX {
            let one_more = request(&settings, "a", &number.to_string());
            keep(one_more, &settings).await;
        }
        let kept = kept_of(&settings);
        assert_eq!(kept.len(), OF_ORIGIN_MAX + 1);
        assert_eq!((&*kept[0].1, &*kept[1].1), ("https://b/1", "8"));
        std::fs::write(&file, "not what the bridge writes: https://a/key").unwrap();
        let error = read(&file).unwrap_err();
        assert!(!error.to_string().contains("key"), "{error}");
    }

    #[tokio::test]
    async fn listeners_that_share_a_file_lose_none() {
        let (_folder, file) = place();
        let (first, second) = (in_file(3, &file), in_file(4, &file));
        keep(request(&first, "a", "https://a"), &first).await;
        keep(request(&second, "b", "https://b"), &second).await;
        keep(request(&first, "c", "https://c"), &first).await;
        remove(&request(&first, "a", "https://a"), &first).await;
        kept()
            .requests
            .retain(|it| it.listen != first.listen && it.listen != second.listen);
        read(&file).unwrap();
        assert_eq!(kept_of(&first), pairs(&[("c", "https://c")]));
        assert_eq!(kept_of(&second), pairs(&[("b", "https://b")]));
    }

    /// Of a listener whose address has changed, too.
    #[tokio::test]
    async fn they_are_forgotten_after_a_while() {
        let (_folder, file) = place();
        let settings = in_file(5, &file);
        let before = |origin: &str, asked_at: &str| {
            serde_json::json!({
                "listen": "127.0.0.1:6", "path": "/events", "origin": origin, "callback": "https://s",
                "asked_at": asked_at,
            })
        };
        let mut undated = before("undated", "");
        undated.as_object_mut().unwrap().remove("asked_at");
        let now = Timestamp::now().to_string();
        let written = [
            before("old", "2020-01-01T00:00:00Z"),
            before("new", &now),
            undated,
        ];
        state_file::write(&file, 0o600, &written).unwrap();
        // One that is asked for again counts from then.
        let mut asked = request(&settings, "a", "https://a");
        asked.asked_at = Timestamp::now() - KEPT_FOR + DAY;
        insert(asked.clone());
        keep(request(&settings, "a", "https://a"), &settings).await;
        assert!(of(settings.listen, "/events")[0].asked_at > asked.asked_at + DAY);
        let left = std::fs::read_to_string(&file).unwrap();
        assert!(!left.contains("\"old\""), "{left}");
        for origin in ["\"new\"", "\"undated\"", "\"a\""] {
            assert!(left.contains(origin), "{origin} in {left}");
        }
        state_file::write(&file, 0o600, &written).unwrap();
        read(&file).unwrap();
        let kept = of("127.0.0.1:6".parse().unwrap(), "/events").into_iter();
        let origins: Vec<_> = kept.map(|it| it.origin).collect();
        assert_eq!(origins, ["new", "undated"]);
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
