//! Tokens of an authorization server on real sockets, which answers as a test tells it to. Tests against a
//! real one are in `bridge/tests/live_delivery`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod broker;
mod problems;
mod renewal;

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use base64_simd::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use ring::hmac;
use serde_json::Value as Json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::LocalSet;

use super::*;
use crate::config::tests::{faults, read as read_json};
use crate::jwt;

fn run(test: impl Future<Output = ()>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    LocalSet::new().block_on(&runtime, async {
        tokio::time::timeout(Duration::from_secs(20), test)
            .await
            .expect("no token may take so long");
    });
}

type Requests = Rc<RefCell<Vec<String>>>;

/// Answers the nth request with what `script` says, a status and a body.
async fn server(script: impl Fn(usize) -> (u16, String) + 'static) -> (String, Requests) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/token", listener.local_addr().unwrap());
    let requests = Requests::default();
    let kept = Rc::clone(&requests);
    tokio::task::spawn_local(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            loop {
                let text = String::from_utf8_lossy(&request).into_owned();
                if let Some((head, body)) = text.split_once("\r\n\r\n") {
                    let length = head
                        .lines()
                        .find_map(|line| line.strip_prefix("content-length: "));
                    if body.len() >= length.unwrap().parse().unwrap() {
                        break;
                    }
                }
                assert!(stream.read_buf(&mut request).await.unwrap() > 0);
            }
            let number = kept.borrow().len();
            kept.borrow_mut().push(String::from_utf8(request).unwrap());
            let (status, body) = script(number);
            let length = body.len();
            let answer = format!("HTTP/1.1 {status} x\r\ncontent-length: {length}\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (url, requests)
}

fn token(text: &str, expires_in: u64) -> (u16, String) {
    let body =
        format!(r#"{{"access_token":"{text}","token_type":"bearer","expires_in":{expires_in}}}"#);
    (200, body)
}

fn secret_file(folder: &tempfile::TempDir, name: &str, content: &str) -> String {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path.display().to_string()
}

fn open(json: &Json) -> Credential {
    Credential::open(&read_json(&json.to_string(), read).unwrap()).unwrap()
}

/// A client with a secret of its own, so that no other test shares it.
fn client(url: &str, folder: &tempfile::TempDir, method: &str) -> Credential {
    let file = secret_file(folder, "secret", "s3 cret");
    open(&serde_json::json!({
        "token_url": url, "client_id": "brug:1", "client_authentication": method,
        "client_secret": { "file": file }, "scopes": ["a", "b"], "audience": "https://receiver.example",
    }))
}

fn verify(
    token: &str,
    key: &DecodingKey,
    validation: &Validation,
) -> jsonwebtoken::errors::Result<Json> {
    jwt::install();
    Ok(jsonwebtoken::decode(token, key, validation)?.claims)
}

fn text((_, value): &CredentialHeader) -> &str {
    value.to_str().unwrap()
}

#[test]
fn every_kind_of_secret_is_a_header() {
    let folder = tempfile::tempdir().unwrap();
    let file = serde_json::json!({ "file": secret_file(&folder, "secret", "ge heim\n") });
    let token = serde_json::json!({ "file": secret_file(&folder, "token", "geheim\n") });
    for (json, name, value) in [
        (
            serde_json::json!({ "token": token }),
            "authorization",
            "Bearer geheim",
        ),
        (
            serde_json::json!({ "authorization": file }),
            "authorization",
            "ge heim",
        ),
        (
            serde_json::json!({ "user": "brug", "password": file }),
            "authorization",
            "Basic YnJ1ZzpnZSBoZWlt",
        ),
        (
            serde_json::json!({ "api_key": token }),
            "x-api-key",
            "geheim",
        ),
        (
            serde_json::json!({ "api_key": token, "header": "Ocp-Key" }),
            "ocp-key",
            "geheim",
        ),
    ] {
        let Credential::Secret(secret) = open(&json) else {
            panic!("{json}");
        };
        let proof = secret.proof();
        assert_eq!((proof.0.as_str(), text(&proof)), (name, value));
        assert!(proof.1.is_sensitive());
    }
}

#[test]
fn a_zgw_token_says_who_asks_and_is_signed_with_the_secret() {
    let folder = tempfile::tempdir().unwrap();
    let credential = open(&serde_json::json!({
        "zgw_secret": { "file": secret_file(&folder, "secret", "zaak geheim") },
        "client_id": "brug", "user_id": "7",
    }));
    let Credential::Secret(secret) = credential else {
        panic!("a secret");
    };
    let proof = secret.proof();
    let token = text(&proof).strip_prefix("Bearer ").unwrap();
    let header = jsonwebtoken::decode_header(token).unwrap();
    assert_eq!(header.alg, Algorithm::HS256);
    let claims: Json = jsonwebtoken::dangerous::insecure_decode_claims(token).unwrap();
    assert_eq!(claims["iss"], "brug");
    assert_eq!(claims["client_id"], "brug");
    assert_eq!(claims["user_id"], "7");
    assert_eq!(claims["user_representation"], "cenl-bridge");
    assert!(claims["iat"].as_u64().unwrap() > 1_700_000_000);
    let (signed, signature) = token.rsplit_once('.').unwrap();
    let signature = URL_SAFE_NO_PAD.decode_to_vec(signature).unwrap();
    let is_signed_with = |secret: &[u8]| {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
        hmac::verify(&key, signed.as_bytes(), &signature).is_ok()
    };
    assert!(is_signed_with(b"zaak geheim"));
    assert!(!is_signed_with(b"ander geheim"));
}

#[test]
fn a_client_proves_itself_with_its_secret() {
    run(async {
        for (method, header, form) in [
            (
                "client_secret_basic",
                Some("authorization: Basic YnJ1ZyUzQTE6czMrY3JldA=="),
                "",
            ),
            (
                "client_secret_post",
                None,
                "&client_id=brug%3A1&client_secret=s3+cret",
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let (url, requests) = server(|_| token("t", 3600)).await;
            let client = client(&url, &folder, method);
            assert_eq!(text(&client.proof().await.unwrap()), "Bearer t");
            assert_eq!(text(&client.proof().await.unwrap()), "Bearer t");
            let requests = requests.borrow();
            assert_eq!(requests.len(), 1, "kept until it is about to expire");
            let (head, body) = requests[0].split_once("\r\n\r\n").unwrap();
            assert!(head.starts_with("POST /token HTTP/1.1\r\n"), "{head}");
            assert_eq!(
                head.lines().find(|line| line.starts_with("authorization")),
                header
            );
            let audience = "&scope=a+b&audience=https%3A%2F%2Freceiver.example";
            assert_eq!(
                body,
                format!("grant_type=client_credentials{audience}{form}")
            );
        }
    });
}

fn openssl(folder: &tempfile::TempDir, arguments: &str) -> String {
    let made = std::process::Command::new("openssl")
        .args(arguments.split_whitespace())
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{made:?}");
    String::from_utf8(made.stdout).unwrap()
}

#[test]
fn a_client_proves_itself_with_a_key_and_its_certificate() {
    run(async {
        for (algorithm, name, kind) in [
            (Algorithm::RS256, "RS256", "rsa:2048"),
            (Algorithm::PS256, "PS256", "rsa:2048"),
            (
                Algorithm::ES256,
                "ES256",
                "ec -pkeyopt ec_paramgen_curve:prime256v1",
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let request =
                "req -x509 -nodes -days 2 -subj /CN=brug -keyout key.pem -out certificate.pem";
            openssl(&folder, &format!("{request} -newkey {kind}"));
            let (url, requests) = server(|_| token("t", 3600)).await;
            let client = open(&serde_json::json!({
                "token_url": url, "client_id": "brug", "client_authentication": "private_key_jwt",
                "algorithm": name, "key_id": "k1",
                "private_key_file": folder.path().join("key.pem"),
                "x5c_file": folder.path().join("certificate.pem"),
            }));
            assert_eq!(text(&client.proof().await.unwrap()), "Bearer t");
            let request = &requests.borrow()[0];
            let (_, assertion) = request.split_once("&client_assertion=").unwrap();
            let header = jsonwebtoken::decode_header(assertion).unwrap();
            assert_eq!((header.alg, header.kid.as_deref()), (algorithm, Some("k1")));
            assert_eq!(header.x5c.unwrap().len(), 1);
            let public = openssl(&folder, "x509 -in certificate.pem -noout -pubkey");
            let public = spki_key(&public);
            let key = match algorithm {
                Algorithm::ES256 => DecodingKey::from_ec_der(&public),
                // Of 2048 bits, and 65537.
                _ => DecodingKey::from_rsa_raw_components(&public[9..265], &[1, 0, 1]),
            };
            let mut validation = Validation::new(algorithm);
            validation.set_audience(&[url]);
            let claims = verify(assertion, &key, &validation).unwrap();
            assert_eq!(
                (&claims["iss"], &claims["sub"]),
                (&"brug".into(), &"brug".into())
            );
            assert!(claims["jti"].as_str().unwrap().len() == 32);
        }
    });
}

/// The bits of a public key, without what says of which kind it is.
fn spki_key(pem: &str) -> Vec<u8> {
    use rustls::pki_types::SubjectPublicKeyInfoDer;
    use rustls::pki_types::pem::PemObject as _;
    let der = SubjectPublicKeyInfoDer::from_pem_slice(pem.as_bytes()).unwrap();
    let is_rsa = der.len() > 200;
    let bits = if is_rsa {
        der.len() - 270
    } else {
        der.len() - 65
    };
    der[bits..].to_vec()
}
