//! Tokens whose keys are at a URL of the issuer.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::certificates::Certificates;
use super::clients::key_set;
use super::tls::serve_as;
use super::*;

/// Answers with 200 and this, or with 503.
type Answer = Rc<RefCell<Option<String>>>;

async fn issuer(answer: &Answer) -> SocketAddr {
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    let answer = Rc::clone(answer);
    tokio::task::spawn_local(async move {
        loop {
            let (mut stream, _) = socket.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            assert!(head.starts_with(b"GET /jwks?a=b HTTP/1.1\r\n"));
            let (status, body) = match answer.borrow().clone() {
                Some(keys) => ("200 OK", keys),
                None => ("503 Away", String::new()),
            };
            let length = body.len();
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    address
}

fn key() -> EncodingKey {
    let certificates = Certificates::new();
    let pem = std::fs::read(certificates.path("server.key")).unwrap();
    crate::jwt::signing_key(&pem, Algorithm::ES256).unwrap()
}

fn bearer(key: &EncodingKey) -> String {
    let expires = jiff::Timestamp::now().as_second() + 600;
    let claims = serde_json::json!({ "iss": "https://i", "aud": "bridge", "exp": expires });
    let header = Header {
        kid: Some("2".to_owned()),
        ..Header::new(Algorithm::ES256)
    };
    let token = crate::jwt::sign(&header, &claims, key).unwrap();
    format!("authorization: Bearer {token}")
}

fn listener(issuer: SocketAddr) -> ListenerSettings {
    let json = serde_json::json!({ "clients": [{ "name": "zaken", "jwt": {
        "issuer": "https://i", "audience": "bridge", "jwks_url": format!("http://{issuer}/jwks?a=b"),
    } }] });
    read(&json.to_string(), ListenerSettings::read).unwrap()
}

#[test]
fn tokens_wait_for_the_first_keys_and_outlive_an_issuer_that_is_away() {
    run(async {
        let (answer, key) = (Answer::default(), key());
        let route = serve_as(listener(issuer(&answer).await));
        let mut client = Client::connect(route.address).await;
        let right = bearer(&key);
        let early = client.post(&[STRUCTURED, &right], EVENT).await;
        assert_eq!(early.status, 503);
        assert!(early.head.contains("retry-after: 1\r\n"), "{}", early.head);
        let unlike = client
            .post(&[STRUCTURED, "authorization: Bearer x"], EVENT)
            .await;
        assert_eq!(unlike.status, 401, "that is no JWT, whatever keys come");
        answer.replace(Some(key_set(&key)));
        while client.post(&[STRUCTURED, &right], EVENT).await.status != 202 {}
        answer.take();
        let forged = bearer(&self::key());
        for (line, status) in [(&right, 202), (&forged, 401), (&right, 202)] {
            assert_eq!(client.post(&[STRUCTURED, line], EVENT).await.status, status);
        }
    });
}

/// A log whose lines of an issuer nobody survives.
struct Deadly;

impl std::io::Write for Deadly {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        assert!(!text.contains("the keys of an issuer"), "on purpose");
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_route_ends_when_nobody_follows_the_keys_of_an_issuer_any_more() {
    let lines = tracing_subscriber::fmt().with_writer(|| Deadly);
    let _guard = tracing::subscriber::set_default(lines.finish());
    run(async {
        let route = serve_as(listener(issuer(&Answer::default()).await));
        let error = route.source.await.unwrap().unwrap_err();
        assert_eq!(error.reason, "listener-ended");
    });
}

#[test]
fn keys_come_from_one_place() {
    for (keys, key) in [
        ("", "clients[0].jwt"),
        (
            r#", "jwks_file": "/a", "jwks_url": "https://a""#,
            "clients[0].jwt",
        ),
        (
            r#", "jwks_url": "http://a.example/?key=hunter2""#,
            "clients[0].jwt.jwks_url",
        ),
        (
            r#", "jwks_url": "https://a", "ca_file": "/none""#,
            "clients[0].jwt.ca_file",
        ),
    ] {
        let json = format!(
            r#"{{"clients": [{{"name": "a", "jwt": {{"issuer": "i", "audience": "b"{keys}}}}}]}}"#
        );
        let problems = read(&json, ListenerSettings::read).unwrap_err();
        assert!(!format!("{problems:?}").contains("hunter2"), "{problems:?}");
        assert_eq!(problems[0].key, key, "{keys}");
    }
}
