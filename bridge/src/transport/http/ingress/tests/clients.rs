//! Who may send what.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use rustls::version::TLS13;

use super::certificates::{Certificates, OIN};
use super::sender::Sender;
use super::tls::{listener_settings, serve_as};
use super::*;

/// SHA-256 of `hunter2`.
const TOKEN: &str = "f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7";

fn event(source: &str, ty: &str) -> String {
    format!(r#"{{"specversion":"1.0","id":"1","source":"{source}","type":"{ty}"}}"#)
}

fn listener(json: &str) -> ListenerSettings {
    read(json, ListenerSettings::read).unwrap()
}

fn with_token() -> ListenerSettings {
    listener(&format!(
        r#"{{"clients": [{{"name": "zaken", "token_sha256": "{TOKEN}", "sources": ["urn:a:"], "types": ["nl.zaak."]}}]}}"#
    ))
}

#[test]
fn a_client_sends_only_what_it_may() {
    run(async {
        let route = serve_as(with_token());
        let mut client = Client::connect(route.address).await;
        let bearer = "authorization: Bearer hunter2";
        let fine = event("urn:a:1", "nl.zaak.made");
        for (lines, body, status) in [
            (&[STRUCTURED, bearer][..], fine.clone(), 202),
            (&[STRUCTURED, bearer], event("urn:b:1", "nl.zaak.made"), 403),
            (&[STRUCTURED, bearer], event("urn:a:1", "nl.mail"), 403),
            (&[STRUCTURED, bearer], "{".to_owned(), 400),
            (
                &[STRUCTURED, "authorization: Bearer hunter3"],
                fine.clone(),
                401,
            ),
            (
                &[STRUCTURED, "authorization: Basic hunter2"],
                fine.clone(),
                401,
            ),
            (&[STRUCTURED], fine.clone(), 401),
            (&[BATCHED, bearer], format!("[{fine},{fine}]"), 202),
            (
                &[BATCHED, bearer],
                format!("[{fine},{}]", event("urn:b:1", "nl.zaak.made")),
                403,
            ),
        ] {
            let answer = client.post(lines, &body).await;
            assert_eq!(answer.status, status, "{lines:?} {body}");
            if status != 202 {
                let problem = answer.problem();
                let batched = lines[0] == BATCHED;
                assert_eq!(problem.get("element").is_some(), batched, "{problem}");
                assert!(!answer.body.contains("hunter") && !answer.body.contains("urn:b"));
            }
            if status == 403 {
                assert!(answer.body.contains("zaken"), "{}", answer.body);
            }
        }
        let binary = [
            "ce-specversion: 1.0",
            "ce-id: 1",
            "ce-source: urn:a:1",
            "ce-type: nl.mail",
            bearer,
        ];
        let answer = client.post(&binary, "").await;
        assert_eq!(answer.status, 403);
        assert!(
            answer.problem()["detail"]
                .as_str()
                .unwrap()
                .contains("types")
        );
        assert_eq!(route.taken.get(), 3);
    });
}

#[test]
fn a_token_of_the_path_is_not_bound_by_what_clients_may() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens");
        std::fs::write(&path, "open sesame\n").unwrap();
        let settings = PathSettings {
            listener: with_token(),
            tokens_file: Some(path),
            ..settings()
        };
        let route = serve(&settings, delivers);
        let mut client = Client::connect(route.address).await;
        for (token, status) in [("open sesame", 202), ("hunter2", 403), ("x", 401)] {
            let line = format!("authorization: Bearer {token}");
            assert_eq!(
                client.post(&[STRUCTURED, &line], EVENT).await.status,
                status
            );
        }
    });
}

#[test]
fn a_jwt_counts_by_issuer_audience_subject_time_and_signature() {
    run(async {
        let (certificates, others) = (Certificates::new(), Certificates::new());
        let key = |of: &Certificates| {
            let pem = std::fs::read(of.path("server.key")).unwrap();
            crate::jwt::signing_key(&pem, Algorithm::ES256).unwrap()
        };
        let jwks = certificates.path("jwks.json");
        std::fs::write(&jwks, key_set(&key(&certificates))).unwrap();
        let jwks = jwks.display();
        let listener = listener(&format!(
            r#"{{"clients": [{{"name": "zaken", "jwt": {{
                "issuer": "https://i", "audience": "bridge", "subject": "zaken", "jwks_file": "{jwks}"}}}}]}}"#
        ));
        let route = serve_as(listener);
        let mut client = Client::connect(route.address).await;
        let now = jiff::Timestamp::now().as_second();
        let claims = |member: &str, value: serde_json::Value| {
            let mut claims = serde_json::json!({
                "iss": "https://i", "aud": ["bridge"], "sub": "zaken", "exp": now + 600
            });
            claims[member] = value;
            claims
        };
        for (claims, signer, status) in [
            (claims("jti", "1".into()), &certificates, 202),
            (claims("jti", "1".into()), &others, 401),
            (claims("iss", "https://j".into()), &certificates, 401),
            (claims("aud", "other".into()), &certificates, 401),
            (claims("sub", "mail".into()), &certificates, 401),
            (claims("sub", serde_json::Value::Null), &certificates, 401),
            (claims("exp", (now - 600).into()), &certificates, 401),
            (claims("exp", serde_json::Value::Null), &certificates, 401),
            (claims("nbf", (now + 600).into()), &certificates, 401),
        ] {
            let token = crate::jwt::sign(&Header::new(Algorithm::ES256), &claims, &key(signer));
            let token = token.unwrap();
            let line = format!("authorization: Bearer {token}");
            let answer = client.post(&[STRUCTURED, &line], EVENT).await;
            assert_eq!(answer.status, status, "{claims}");
            let (signed, _) = token.rsplit_once('.').unwrap();
            for unsigned in [
                format!("{signed}."),
                format!("{signed}.AAAA"),
                signed.to_owned(),
            ] {
                let line = format!("authorization: Bearer {unsigned}");
                let answer = client.post(&[STRUCTURED, &line], EVENT).await;
                assert_eq!(answer.status, 401, "{unsigned}");
            }
        }
        // The public key as a secret, which is no key of that kind.
        let secret = EncodingKey::from_secret(key_set(&key(&certificates)).as_bytes());
        let forged = crate::jwt::sign(&Header::default(), &claims("jti", "1".into()), &secret);
        let line = format!("authorization: Bearer {}", forged.unwrap());
        assert_eq!(client.post(&[STRUCTURED, &line], EVENT).await.status, 401);
    });
}

/// Beside a key for another purpose and one of another kind.
pub(super) fn key_set(key: &EncodingKey) -> String {
    let (curve, random) = (&ECDSA_P256_SHA256_FIXED_SIGNING, SystemRandom::new());
    let pair = EcdsaKeyPair::from_pkcs8(curve, key.as_bytes(), &random).unwrap();
    let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
    let text = |bytes| base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes);
    let (x, y) = (text(x), text(y));
    serde_json::json!({ "keys": [
        { "kty": "EC", "crv": "P-256", "use": "enc", "kid": "0", "x": "AA", "y": "AA" },
        { "kty": "oct", "kid": "1", "k": "AA" },
        { "kty": "EC", "crv": "P-256", "use": "sig", "kid": "2", "x": x, "y": y },
    ] })
    .to_string()
}

#[test]
fn a_certificate_names_the_client_by_oin_or_subject() {
    run(async {
        let certificates = Certificates::new();
        certificates.issue("oin", &format!("/C=NL/CN=zaken/serialNumber={OIN}"));
        certificates.issue("other", "/C=NL/CN=zaken/serialNumber=00000009999999990000");
        certificates.issue("subject", "/C=NL/O=Gemeente/CN=mail");
        certificates.issue(
            "doubled",
            &format!("/CN=x/serialNumber={OIN}/serialNumber=2"),
        );
        certificates.issue_expired("expired", &format!("/CN=zaken/serialNumber={OIN}"));
        let root = certificates.path("root.pem").display().to_string();
        let keys = format!(
            r#", "client_ca_file": "{root}", "client_certificates": "optional", "clients": [
                {{"name": "zaken", "oin": "{OIN}", "types": ["t"]}},
                {{"name": "mail", "subject": "CN=mail,O=Gemeente,C=NL", "types": ["mail"]}},
                {{"name": "bearer", "token_sha256": "{TOKEN}"}}]"#
        );
        let route = serve_as(listener_settings(&certificates, &keys.replace('\n', " ")));
        for (name, token, expected) in [
            (Some("oin"), None, Some(202)),
            (Some("other"), None, Some(401)),
            (Some("subject"), None, Some(403)),
            (Some("doubled"), None, Some(401)),
            (Some("expired"), None, None),
            (None, None, Some(401)),
            (None, Some("Bearer hunter2"), Some(202)),
            // The token decides.
            (Some("oin"), Some("Bearer wrong"), Some(401)),
        ] {
            for protocol in ["http/1.1", "h2"] {
                let own = name.map(|name| (&certificates, name));
                let sender = Sender::new(&certificates, own, protocol, &TLS13);
                let headers: Vec<_> = token.iter().map(|it| ("authorization", *it)).collect();
                let answer = sender.post(route.address, &headers, EVENT).await;
                assert_eq!(
                    answer.as_ref().ok(),
                    expected.as_ref(),
                    "{name:?} {answer:?}"
                );
            }
        }
    });
}

#[test]
fn a_proxy_names_the_certificate_in_one_header_that_goes_no_further() {
    run(async {
        let certificates = Certificates::new();
        certificates.issue("oin", &format!("/CN=zaken/serialNumber={OIN}"));
        let pem = std::fs::read(certificates.path("oin.pem")).unwrap();
        let escaped = percent_encoding::percent_encode(&pem, percent_encoding::NON_ALPHANUMERIC);
        let listener = listener(&format!(
            r#"{{"behind_proxy": true, "client_certificate_header": "ssl-client-cert",
                "clients": [{{"name": "zaken", "oin": "{OIN}"}}]}}"#
        ));
        let settings = PathSettings {
            listener: listener.clone(),
            ..settings()
        };
        let route = serve_on(&listen_as(listener), &settings, |delivery| {
            let headers = &delivery.received.headers;
            assert!(!format!("{headers:?}").contains("ssl-client-cert"));
            delivery.settle(Verdict::Delivered);
        });
        let mut client = Client::connect(route.address).await;
        let line = format!("ssl-client-cert: {escaped}");
        for (lines, status) in [
            (&[STRUCTURED, &*line][..], 202),
            (&[STRUCTURED, &line, &line], 401),
            (&[STRUCTURED, "ssl-client-cert: zaken"], 401),
            (&[STRUCTURED, "ssl-client-cert: "], 401),
            (&[STRUCTURED], 401),
        ] {
            assert_eq!(client.post(lines, EVENT).await.status, status);
        }
    });
}

#[test]
fn clients_are_told_apart_and_known_by_one_thing() {
    let token = format!(r#""token_sha256": "{TOKEN}""#);
    for (clients, key) in [
        (r#"{"name": "a"}"#.to_owned(), "clients[0]"),
        (
            format!(r#"{{"name": "a", {token}, "oin": "1"}}"#),
            "clients[0]",
        ),
        (format!("{{{token}}}"), "clients[0].name"),
        (
            r#"{"name": "a", "token_sha256": "hunter2"}"#.to_owned(),
            "clients[0].token_sha256",
        ),
        (
            format!(r#"{{"name": "a", {token}, "type": ["x"]}}"#),
            "clients[0].type",
        ),
        (r#"{"name": "a", "jwt": {"issuer": "i", "audience": "b", "jwks_file": "/nonexistent"}}"#.to_owned(), "clients[0].jwt.jwks_file"),
        (r#"{"name": "a", "oin": "1"}"#.to_owned(), "clients"),
        (
            format!(r#"{{"name": "a", {token}}}, {{"name": "b", {token}}}"#),
            "clients",
        ),
    ] {
        let json = format!(r#"{{"clients": [{clients}]}}"#);
        let problems = read(&json, ListenerSettings::read).unwrap_err();
        assert!(!format!("{problems:?}").contains("hunter2"), "{problems:?}");
        let keys: Vec<_> = problems
            .iter()
            .map(|problem| problem.key.as_str())
            .collect();
        assert_eq!(keys, [key], "{clients}");
    }
}
