//! Clients that are known by what they sign, in the form of Standard Webhooks.

use base64_simd::STANDARD;
use ring::hmac;
use ring::signature::{Ed25519KeyPair, KeyPair};

use super::tls::serve_as;
use super::*;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SEED: [u8; 32] = [7; 32];
const TOKEN: &str = "authorization: Bearer known";
const TOKEN_SHA256: &str = "7117fff2d0fd294462b3c802b7cb8753579f23f3946b99cf55f38e873f013f10";

/// `v1` with the secret.
fn symmetric(secret: &str, signed: &str) -> String {
    let key = STANDARD
        .decode_to_vec(secret.trim_start_matches("whsec_"))
        .unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    let signature = hmac::sign(&key, signed.as_bytes());
    format!("v1,{}", STANDARD.encode_to_string(signature))
}

fn asymmetric(signed: &str) -> String {
    let pair = Ed25519KeyPair::from_seed_unchecked(&SEED).unwrap();
    let signature = pair.sign(signed.as_bytes());
    format!("v1a,{}", STANDARD.encode_to_string(signature))
}

/// Knows `zaken` by two secrets of one kind and one of the other, and `other` by a token.
fn listener() -> ListenerSettings {
    let folder = tempfile::tempdir().unwrap();
    let public = *Ed25519KeyPair::from_seed_unchecked(&SEED)
        .unwrap()
        .public_key();
    let secrets = [
        "whsec_dGhlIG9uZSBiZWZvcmUgdGhlIG90aGVyIQ==".to_owned(),
        SECRET.to_owned(),
        format!("whpk_{}", STANDARD.encode_to_string(public)),
    ];
    let file = |(number, secret): (usize, &String)| {
        let path = folder.path().join(number.to_string());
        std::fs::write(&path, secret).unwrap();
        serde_json::json!({ "file": path })
    };
    let files: Vec<_> = secrets.iter().enumerate().map(file).collect();
    let json = serde_json::json!({ "clients": [
        { "name": "zaken", "signing_secrets": files, "sources": ["/s"] },
        { "name": "other", "token_sha256": TOKEN_SHA256 },
    ] });
    read(&json.to_string(), ListenerSettings::read).unwrap()
}

fn now() -> i64 {
    jiff::Timestamp::now().as_second()
}

#[test]
fn a_client_is_known_by_its_signature_of_what_it_sends() {
    run(async {
        let route = serve_as(listener());
        let mut client = Client::connect(route.address).await;
        let at = now().to_string();
        let signed = format!("msg.{at}.{EVENT}");
        let (one, other) = (symmetric(SECRET, &signed), asymmetric(&signed));
        let forged = symmetric("whsec_c29tZXRoaW5nIGVsc2UgZW50aXJlbHkhISE=", &signed);
        let another = EVENT.replace("/s", "/t");
        let (elsewhere, batch) = (format!("msg.{at}.{another}"), format!("[{EVENT}]"));
        let batched = format!("msg.{at}.{batch}");
        for (id, at, signature, content_type, body, status) in [
            ("msg", &*at, one.clone(), STRUCTURED, EVENT, 202),
            ("msg", &at, other.clone(), STRUCTURED, EVENT, 202),
            (
                "msg",
                &at,
                format!("{forged} {one}"),
                STRUCTURED,
                EVENT,
                202,
            ),
            ("msg", &at, format!("v2,x {other}"), STRUCTURED, EVENT, 202),
            (
                "msg",
                &at,
                symmetric(SECRET, &batched),
                BATCHED,
                &batch,
                202,
            ),
            // Known, and not allowed to.
            (
                "msg",
                &at,
                symmetric(SECRET, &elsewhere),
                STRUCTURED,
                &another,
                403,
            ),
            ("msg", &at, forged.clone(), STRUCTURED, EVENT, 401),
            ("msg", &at, one.clone(), STRUCTURED, &another, 401),
            ("other", &at, one.clone(), STRUCTURED, EVENT, 401),
            (
                "msg",
                &at,
                one.replace("v1,", "v1a,"),
                STRUCTURED,
                EVENT,
                401,
            ),
            (
                "msg",
                &at,
                other.replace("v1a,", "v1,"),
                STRUCTURED,
                EVENT,
                401,
            ),
            ("msg", &at, one.replace("v1,", ""), STRUCTURED, EVENT, 401),
            ("msg", &at, "v1,".to_owned(), STRUCTURED, EVENT, 401),
            ("msg", &at, "v1,!".to_owned(), STRUCTURED, EVENT, 401),
            ("msg", &at, String::new(), STRUCTURED, EVENT, 401),
            // So many are not tried.
            (
                "msg",
                &at,
                format!("{} {one}", [&*forged; 8].join(" ")),
                STRUCTURED,
                EVENT,
                401,
            ),
            // What the headers of binary mode say is not signed.
            ("msg", &at, one.clone(), "ce-specversion: 1.0", EVENT, 415),
        ] {
            let lines = [
                content_type,
                &format!("webhook-id: {id}"),
                &format!("webhook-timestamp: {at}"),
                &format!("webhook-signature: {signature}"),
            ];
            let answer = client.post(&lines, body).await;
            assert_eq!(answer.status, status, "{lines:?} {body}");
        }
        assert_eq!(route.taken.get(), 5);
    });
}

#[test]
fn a_signature_has_its_time_and_each_of_its_headers_once() {
    run(async {
        let route = serve_as(listener());
        let mut client = Client::connect(route.address).await;
        for (offset, status) in [(0, 202), (-290, 202), (290, 202), (-310, 401), (310, 401)] {
            let at = now() + offset;
            let signature = symmetric(SECRET, &format!("msg.{at}.{EVENT}"));
            let lines = [
                STRUCTURED.to_owned(),
                "webhook-id: msg".to_owned(),
                format!("webhook-timestamp: {at}"),
                format!("webhook-signature: {signature}"),
            ];
            let lines = lines.each_ref().map(String::as_str);
            assert_eq!(client.post(&lines, EVENT).await.status, status, "{offset}");
            for left_out in 1..4 {
                let mut fewer = lines.to_vec();
                let line = fewer.remove(left_out);
                assert_eq!(client.post(&fewer, EVENT).await.status, 401, "{fewer:?}");
                let more = [&lines[..], &[line]].concat();
                assert_eq!(client.post(&more, EVENT).await.status, 401, "{more:?}");
            }
        }
        for odd in ["", "x", "-1", "1e3", "99999999999999999999"] {
            let lines = [
                STRUCTURED,
                "webhook-id: msg",
                &format!("webhook-timestamp: {odd}"),
                &format!(
                    "webhook-signature: {}",
                    symmetric(SECRET, &format!("msg.{odd}.{EVENT}"))
                ),
            ];
            assert_eq!(client.post(&lines, EVENT).await.status, 401, "{odd}");
        }
        assert_eq!(route.taken.get(), 3);
    });
}

#[test]
fn the_rate_of_a_client_that_signs_is_its_own() {
    run(async {
        let listener = listener();
        let json = r#"{"path": "/events", "allowed_rate": 1}"#;
        let settings = read(json, |table| {
            PathSettings::read(table, Ok(listener.clone()))
        });
        let route = serve_on(&listen_as(listener), &settings.unwrap(), delivers);
        let mut client = Client::connect(route.address).await;
        let at = now();
        let line = |signature: &str| format!("webhook-signature: {signature}");
        let time = format!("webhook-timestamp: {at}");
        let right = line(&symmetric(SECRET, &format!("msg.{at}.{EVENT}")));
        // Who only says that it is the client takes nothing of its rate.
        for (signature, status) in [(line("v1,AAAA"), 401), (right.clone(), 202), (right, 429)] {
            let lines = [STRUCTURED, "webhook-id: msg", &time, &signature];
            assert_eq!(client.post(&lines, EVENT).await.status, status);
        }
    });
}

#[test]
fn who_only_says_that_it_signs_keeps_out_nobody_who_is_known() {
    run(async {
        for (bound, most) in [
            ("requests_in_flight", 4),
            ("bytes_in_flight", 4 * EVENT.len()),
        ] {
            let listener = listener();
            let json = serde_json::json!({ "path": "/events", bound: most });
            let settings = read(&json.to_string(), |table| {
                PathSettings::read(table, Ok(listener.clone()))
            });
            let route = serve_on(&listen_as(listener), &settings.unwrap(), delivers);
            let at = now();
            let right = symmetric(SECRET, &format!("msg.{at}.{EVENT}"));
            let lines = |signature: &str| {
                format!(
                    "{STRUCTURED}\r\nwebhook-id: msg\r\nwebhook-timestamp: {at}\r\nwebhook-signature: {signature}"
                )
            };
            let mut known = Client::connect(route.address).await;
            // A refused one closes its connection.
            let signs = async || {
                let mut signer = Client::connect(route.address).await;
                signer.post(&[&lines(&right)], EVENT).await.status
            };
            let mut waiting = Vec::new();
            for _ in 0..2 {
                assert_eq!(signs().await, 202);
                let mut client = Client::connect(route.address).await;
                let (lines, length) = (lines("v1,AAAA"), EVENT.len() + 1);
                client
                    .write(&format!(
                        "POST /events HTTP/1.1\r\nhost: x\r\n{lines}\r\ncontent-length: {length}\r\n\r\n{EVENT}"
                    ))
                    .await;
                waiting.push(client);
                assert_eq!(known.post(&[STRUCTURED, TOKEN], EVENT).await.status, 202);
            }
            while signs().await != 503 {}
            assert_eq!(known.post(&[STRUCTURED, TOKEN], EVENT).await.status, 202);
            drop(waiting);
            while signs().await != 202 {}
        }
    });
}

#[test]
fn a_secret_that_verifies_nothing_is_reported_and_not_shown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    let client = |secrets: serde_json::Value| {
        let json = serde_json::json!({ "clients": [{ "name": "a", "signing_secrets": secrets }] });
        let problems = read(&json.to_string(), ListenerSettings::read).unwrap_err();
        assert!(!format!("{problems:?}").contains("hunter2"), "{problems:?}");
        problems[0].key.clone()
    };
    let key = "clients[0].signing_secrets";
    assert_eq!(client(serde_json::json!([])), key);
    for secret in [
        "",
        "hunter2",
        "whsec_c2hvcnQ=",
        "whsec_!",
        "whpk_c2hvcnQ=",
        "whsk_hunter2",
    ] {
        std::fs::write(&path, secret).unwrap();
        assert_eq!(
            client(serde_json::json!([{ "file": path }])),
            key,
            "{secret:?}"
        );
    }
}
