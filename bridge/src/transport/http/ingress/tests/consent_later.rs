//! Consent that is given later, by calling back; `HOOK-…` are the rules that bind a receiver.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;

/// A sender's port for callbacks, which answers with these in turn, and with the last from then on.
struct CallbackPort {
    address: SocketAddr,
    heads: Rc<RefCell<Vec<String>>>,
    called: Rc<Notify>,
}

impl CallbackPort {
    async fn new(answers: &'static [&'static str]) -> Self {
        Self::at("127.0.0.1:0", answers).await
    }

    async fn at(address: &str, answers: &'static [&'static str]) -> Self {
        let socket = TcpListener::bind(address).await.unwrap();
        let port = Self {
            address: socket.local_addr().unwrap(),
            heads: Rc::default(),
            called: Rc::default(),
        };
        let (heads, called) = (Rc::clone(&port.heads), Rc::clone(&port.called));
        tokio::task::spawn_local(async move {
            loop {
                let (mut stream, _) = socket.accept().await.unwrap();
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await.unwrap());
                }
                let number = heads.borrow().len().min(answers.len() - 1);
                heads.borrow_mut().push(String::from_utf8(head).unwrap());
                let answer = format!("HTTP/1.1 {}\r\ncontent-length: 0\r\n\r\n", answers[number]);
                stream.write_all(answer.as_bytes()).await.unwrap();
                called.notify_one();
            }
        });
        port
    }

    fn url(&self) -> String {
        format!("http://{}/consent?id=1&key=hunter2", self.address)
    }

    async fn called(&self, count: usize) {
        while self.heads.borrow().len() < count {
            self.called.notified().await;
        }
    }
}

/// A listener on a port of its own, where consent is asked for, and what is kept of it.
struct Scene {
    listener: (Rc<Listener>, SocketAddr),
    folder: tempfile::TempDir,
}

impl Scene {
    fn new() -> Self {
        Self {
            listener: listen(false),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// The path takes consent from `allowed`, and may call `hosts`.
    fn serve(&self, hosts: &[&str], allowed: &str) -> Running {
        let json = serde_json::json!({
            "listen": self.listener.1.to_string(), "callback_hosts": hosts,
            "consent_requests_file": self.file(),
        });
        let listener = read(&json.to_string(), ListenerSettings::read).unwrap();
        let json = serde_json::json!({
            "path": "/events", "allowed_rate": 120, "allowed_origins": [allowed],
        });
        let settings = read(&json.to_string(), |table| {
            PathSettings::read(table, Ok(listener))
        });
        serve_on(&self.listener, &settings.unwrap(), delivers)
    }

    fn file(&self) -> std::path::PathBuf {
        self.folder.path().join("requests.json")
    }

    async fn forgotten(&self, origin: &str) {
        while std::fs::read_to_string(self.file())
            .unwrap()
            .contains(origin)
        {
            tokio::task::yield_now().await;
        }
    }
}

const LOOPBACK: &[&str] = &["127.0.0.1"];

/// Asks for consent that is not given, and is told nothing of it.
async fn ask(route: &Running, origin: &str, url: &str) {
    let mut client = Client::connect(route.address).await;
    let callback = format!("webhook-request-callback: {url}");
    let origin = format!("webhook-request-origin: {origin}");
    let answer = client
        .request("OPTIONS /events", &[&origin, &callback], "")
        .await;
    assert_eq!(answer.status, 202, "{answer:?}");
    assert!(!answer.head.contains("webhook-allowed"), "{}", answer.head);
    assert!(
        answer.head.contains("allow: post, options"),
        "{}",
        answer.head
    );
}

/// HOOK-VRES-8, HOOK-VRES-9, HOOK-VRES-10, HOOK-CB-2
#[test]
fn who_asked_is_called_back_once_the_origin_is_allowed() {
    run(async {
        let scene = Scene::new();
        let port = CallbackPort::new(&["503 Not Now", "200 OK"]).await;
        ask(
            &scene.serve(LOOPBACK, "old.example"),
            "New.Example",
            &port.url(),
        )
        .await;
        let _route = scene.serve(LOOPBACK, "new.example");
        port.called(2).await;
        for head in port.heads.borrow().iter() {
            let mut lines = head.lines();
            assert_eq!(lines.next(), Some("GET /consent?id=1&key=hunter2 HTTP/1.1"));
            let lines: Vec<_> = lines.collect();
            for line in [
                "webhook-allowed-origin: new.example",
                "webhook-allowed-rate: 120",
                &format!("host: {}", port.address),
            ] {
                assert!(lines.contains(&line), "{line} in {head}");
            }
        }
        // Whoever has heard it is called no more.
        scene.forgotten("new.example").await;
    });
}

#[test]
fn a_sender_that_refuses_is_called_once_and_no_redirect_is_followed() {
    run(async {
        for answer in [
            &["404 Not Found"],
            &["307 Elsewhere\r\nlocation: /consent?id=2"],
        ] {
            let scene = Scene::new();
            let port = CallbackPort::new(answer).await;
            ask(
                &scene.serve(LOOPBACK, "old.example"),
                "new.example",
                &port.url(),
            )
            .await;
            let _route = scene.serve(LOOPBACK, "*");
            port.called(1).await;
            scene.forgotten("new.example").await;
            assert_eq!(port.heads.borrow().len(), 1, "{answer:?}");
        }
    });
}

#[test]
fn an_address_that_is_not_public_is_called_only_where_the_settings_name_its_host() {
    run(async {
        let scene = Scene::new();
        let port = CallbackPort::new(&["200 OK"]).await;
        let other = CallbackPort::at("127.0.0.2:0", &["200 OK"]).await;
        let route = scene.serve(&[], "old.example");
        ask(&route, "new.example", &port.url()).await;
        ask(&route, "other.example", &other.url()).await;
        let _route = scene.serve(&["127.0.0.2"], "*");
        scene.forgotten("other.example").await;
        assert_eq!(other.heads.borrow().len(), 1);
        assert!(port.heads.borrow().is_empty());
        let _route = scene.serve(LOOPBACK, "new.example");
        port.called(1).await;
    });
}

/// HOOK-VREQ-7
#[test]
fn a_callback_url_that_cannot_be_used_is_refused_and_not_shown() {
    run(async {
        let scene = Scene::new();
        let route = scene.serve(LOOPBACK, "old.example");
        let mut client = Client::connect(route.address).await;
        let long = format!("https://sender.example/{}", "x".repeat(2048));
        let fine = "https://sender.example/";
        for urls in [
            &["http://sender.example/hunter2"][..],
            &["https://hunter2@sender.example/"],
            &["ftp://sender.example/hunter2"],
            &["hunter2"],
            &[""],
            &[&long],
            &[fine, fine],
        ] {
            let urls = urls
                .iter()
                .map(|url| format!("webhook-request-callback: {url}"));
            let mut lines: Vec<_> = urls.collect();
            lines.push("webhook-request-origin: new.example".to_owned());
            let lines: Vec<_> = lines.iter().map(String::as_str).collect();
            let answer = client.request("OPTIONS /events", &lines, "").await;
            assert_eq!(answer.status, 403, "{lines:?}");
            assert!(!answer.body.contains("hunter2"), "{}", answer.body);
            answer.problem();
        }
        assert!(!scene.file().exists());
    });
}
