//! Consent that a receiver gives later, by calling back, and that outlives the process.

use std::path::Path;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::receiver::Seen;
use super::*;
use crate::config::tests::{faults, read};
use crate::outcome::CONSENT_PENDING;
use crate::transport::http::webhook::callback::{CallbackSettings, caught};

const PENDING: Outcome = Outcome::NoConsent(CONSENT_PENDING);

fn opening() -> SinkOpening {
    SinkOpening {
        keeps_dead_letters: false,
        has_waiting_sender: false,
        is_batched: false,
        keeps_error_body: false,
        in_flight_max: 1,
        kept_at: None,
        serves_route: true,
        route: "r".into(),
        retry_max: Duration::from_secs(1),
        event_bytes_max: 1 << 20,
    }
}

fn callback(folder: &Path, port: u16) -> CallbackSettings {
    let secret = folder.join("secret");
    std::fs::write(&secret, "0123456789abcdef0123456789abcdef\n").unwrap();
    let json = serde_json::json!({
        "url": format!("http://127.0.0.1:{port}/consent"), "listen": format!("127.0.0.1:{port}"),
        "secret": { "file": secret }, "file": folder.join("consents.json"),
    });
    read(&json.to_string(), CallbackSettings::read).unwrap()
}

/// One that says nothing of consent to OPTIONS, and a route to it.
struct Scene {
    folder: TempDir,
    /// Bound, so that nobody else is given the port while no route listens there.
    _reserved: TcpSocket,
    port: u16,
    address: String,
    seen: Rc<Seen>,
}

impl Scene {
    /// Takes what is posted.
    async fn new() -> Self {
        Self::answering(|_| Reply::status("204 No Content")).await
    }

    async fn answering(script: impl Fn(usize) -> Reply + 'static) -> Self {
        let reserved = TcpSocket::new_v4().unwrap();
        reserved.set_reuseaddr(true).unwrap();
        reserved.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let port = reserved.local_addr().unwrap().port();
        let (address, seen) = start(None, script).await;
        let folder = TempDir::new().unwrap();
        Self {
            folder,
            _reserved: reserved,
            port,
            address,
            seen,
        }
    }

    fn settings(&self) -> WebhookSettings {
        let json = serde_json::json!({
            "url": format!("http://{}/hook", self.address), "handshake": "required",
            "origin": "bron.example.nl", "request_rate": 120,
        });
        let mut settings = read(&json.to_string(), WebhookSettings::read).unwrap();
        settings.contract.callback = Some(callback(self.folder.path(), self.port));
        settings
    }

    fn open(&self) -> Box<dyn Sink> {
        OpenSink::open(&self.settings(), opening()).unwrap()
    }

    /// What the receiver was told: path and query.
    fn callback(&self) -> String {
        let requests = self.seen.requests.borrow();
        let header = "webhook-request-callback: ";
        let asked = requests.last().unwrap().lines();
        let url = asked.filter_map(|line| line.strip_prefix(header)).next();
        let server = format!("http://127.0.0.1:{}", self.port);
        url.unwrap().strip_prefix(&server).unwrap().to_owned()
    }

    fn options(&self) -> usize {
        let requests = self.seen.requests.borrow();
        let is_options = |request: &&String| request.starts_with("OPTIONS ");
        requests.iter().filter(is_options).count()
    }

    /// The status of the answer.
    async fn call(&self, method: &str, target: &str, headers: &str) -> u16 {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let head =
            format!("{method} {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(!answer.contains("key="), "{answer}");
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }
}

/// HOOK-VREQ-3, HOOK-VREQ-4, HOOK-VRES-8, HOOK-VRES-9, HOOK-CB-1
#[test]
fn a_receiver_may_consent_later_by_get_or_post() {
    run(async {
        for method in ["GET", "POST"] {
            let scene = Scene::new().await;
            let sink = scene.open();
            assert_eq!(sink.send(batch()).await, PENDING);
            let url = scene.callback();
            assert_eq!(sink.send(batch()).await, PENDING);
            assert_eq!(
                scene.options(),
                1,
                "it was asked, and is not asked at once again"
            );
            assert_eq!(scene.call(method, &url, "").await, 200);
            assert_eq!(sink.send(batch()).await, Outcome::Delivered);
            assert_eq!(sink.send(batch()).await, Outcome::Delivered);
            assert_eq!(scene.options(), 1);
            assert!(sink.opens_at().is_some(), "120 in a minute were asked for");
        }
    });
}

#[test]
fn a_receiver_that_has_called_back_and_refuses_is_asked_again_before_the_next_event() {
    run(async {
        let scene = Scene::answering(|number| match number {
            1 => Reply::status("403 x"),
            _ => Reply::status("204 x"),
        })
        .await;
        let sink = scene.open();
        assert_eq!(sink.send(batch()).await, PENDING);
        assert_eq!(scene.call("GET", &scene.callback(), "").await, 200);
        let refused = sink.send(batch()).await;
        assert!(matches!(refused, Outcome::Status { code: 403, .. }));
        assert_eq!(scene.options(), 1);
        // Its answer takes nothing back.
        assert_eq!(sink.send(batch()).await, Outcome::Delivered);
        assert_eq!(sink.send(batch()).await, Outcome::Delivered);
        assert_eq!(scene.options(), 2);
    });
}

#[test]
fn consent_counts_for_every_route_to_the_receiver() {
    run(async {
        let scene = Scene::new().await;
        let mut settings = scene.settings();
        let one = OpenSink::open(&settings, opening()).unwrap();
        settings.contract.renewal *= 2;
        let other = OpenSink::open(&settings, opening()).unwrap();
        for sink in [&one, &other] {
            assert_eq!(sink.send(batch()).await, PENDING);
        }
        assert_eq!(scene.call("POST", &scene.callback(), "").await, 200);
        for sink in [&one, &other] {
            assert_eq!(sink.send(batch()).await, Outcome::Delivered);
        }
    });
}

/// HOOK-VRES-10, HOOK-CB-2
#[test]
fn the_callback_carries_the_rate() {
    run(async {
        let scene = Scene::new().await;
        let sink = scene.open();
        assert_eq!(sink.send(batch()).await, PENDING);
        let url = scene.callback();
        for rate in ["0", "-1", "veel", ""] {
            let header = format!("webhook-allowed-rate: {rate}\r\n");
            assert_eq!(scene.call("POST", &url, &header).await, 400, "{rate}");
        }
        assert_eq!(sink.send(batch()).await, PENDING);
        let header = "webhook-allowed-rate: *\r\n";
        assert_eq!(scene.call("POST", &url, header).await, 200);
        assert_eq!(sink.send(batch()).await, Outcome::Delivered);
        assert!(sink.opens_at().is_none());
    });
}

#[test]
fn nobody_consents_who_was_not_told_the_secret() {
    run(async {
        let scene = Scene::new().await;
        let sink = scene.open();
        assert_eq!(sink.send(batch()).await, PENDING);
        let url = scene.callback();
        let (told, key) = url.split_once("key=").unwrap();
        let wrong: String = key.chars().rev().collect();
        for target in [
            "/consent".to_owned(),
            told.to_owned(),
            format!("{told}key="),
            format!("{told}key={wrong}"),
            format!("/consent?id=other&key={key}"),
            url.replace("/consent", "/other"),
            url.replace("/consent", "/consent/"),
        ] {
            assert_eq!(scene.call("GET", &target, "").await, 404, "{target}");
        }
        for method in ["HEAD", "PUT", "OPTIONS"] {
            assert_eq!(scene.call(method, &url, "").await, 405, "{method}");
        }
        assert_eq!(sink.send(batch()).await, PENDING);
    });
}

#[test]
fn consent_outlives_the_process_and_its_secret_stays_the_same() {
    run(async {
        let scene = Scene::new().await;
        let first = scene.open();
        assert_eq!(first.send(batch()).await, PENDING);
        let url = scene.callback();
        drop(first);
        let second = scene.open();
        assert_eq!(second.send(batch()).await, PENDING);
        assert_eq!(scene.callback(), url);
        // Called back under the URL that the process before was to be called under.
        let rate = "webhook-allowed-rate: 60\r\n";
        assert_eq!(scene.call("GET", &url, rate).await, 200);
        drop(second);
        let third = scene.open();
        assert_eq!(third.send(batch()).await, Outcome::Delivered);
        let wait = third.opens_at().unwrap() - Instant::now();
        assert!(wait > Duration::from_millis(500), "{wait:?}");
        let kept = std::fs::read_to_string(scene.folder.path().join("consents.json")).unwrap();
        assert!(kept.contains("\"60\"") && !kept.contains("key"), "{kept}");
    });
}

#[test]
fn consent_that_cannot_be_kept_is_not_taken() {
    run(async {
        let scene = Scene::new().await;
        let sink = scene.open();
        assert_eq!(sink.send(batch()).await, PENDING);
        let path = scene.folder.path().join("consents.json");
        std::fs::write(&path, "not what the bridge writes").unwrap();
        let url = scene.callback();
        assert_eq!(scene.call("POST", &url, "").await, 503);
        assert_eq!(sink.send(batch()).await, PENDING);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(scene.call("POST", &url, "").await, 200);
        assert_eq!(sink.send(batch()).await, Outcome::Delivered);
    });
}

/// A process beside the daemon, such as a replay, asks with the same URL and opens no port.
#[test]
fn a_tool_opens_no_port() {
    run(async {
        let scene = Scene::new().await;
        let opening = SinkOpening {
            serves_route: false,
            ..opening()
        };
        let sink = OpenSink::open(&scene.settings(), opening).unwrap();
        assert_eq!(sink.send(batch()).await, PENDING);
        let url = scene.callback();
        assert!(url.starts_with("/consent?id="), "{url}");
        assert!(TcpStream::connect(("127.0.0.1", scene.port)).await.is_err());
    });
}

#[test]
fn a_port_that_is_taken_is_told_and_opened_once_it_is_free() {
    run(async {
        let scene = Scene::new().await;
        let other = std::net::TcpListener::bind(("127.0.0.1", scene.port)).unwrap();
        let error = OpenSink::open(&scene.settings(), opening()).err().unwrap();
        assert!(error.detail.contains("in use"), "{}", error.detail);
        drop(other);
        drop(scene.open());
    });
}

#[tokio::test]
async fn a_port_that_ends_by_a_panic_is_told() {
    assert!(caught(async { Ok(()) }).await.is_ok());
    assert!(caught(async { panic!("on purpose") }).await.is_err());
}

/// HOOK-VREQ-7
#[test]
fn callbacks_come_over_https_and_under_a_secret() {
    let secret = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(secret.path(), "0123456789abcdef0123456789abcdef").unwrap();
    let short = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(short.path(), "kort").unwrap();
    for (url, secret, listen, faulty) in [
        (
            "http://bron.example.nl/",
            secret.path(),
            "127.0.0.1:1",
            "url",
        ),
        (
            "https://bron.example.nl/?a",
            secret.path(),
            "127.0.0.1:1",
            "url",
        ),
        (
            "https://bron.example.nl/",
            short.path(),
            "127.0.0.1:1",
            "secret",
        ),
        (
            "https://bron.example.nl/",
            Path::new("/none"),
            "127.0.0.1:1",
            "secret",
        ),
        (
            "https://bron.example.nl/",
            secret.path(),
            "0.0.0.0:1",
            "listen",
        ),
    ] {
        let json =
            serde_json::json!({ "url": url, "secret": { "file": secret }, "listen": listen });
        let found = faults(&json.to_string(), CallbackSettings::read);
        assert_eq!(found, [faulty], "{json}");
    }
}
