//! What a broker is told, and that its tokens are renewed before it asks.

use super::*;
use futures_util::FutureExt;

/// Bounded by the time of the test.
async fn until<T>(found: impl Fn() -> Option<T>) -> T {
    loop {
        if let Some(found) = found() {
            return found;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// As a client of a broker has it.
fn broker_token(url: &str, folder: &tempfile::TempDir) -> BearerToken {
    let file = secret_file(folder, "secret", "s3 cret");
    let json = serde_json::json!({ "token_url": url, "client_id": "brug", "client_secret": { "file": file } });
    match read_json(&json.to_string(), read).unwrap().for_broker() {
        Some(BrokerCredential::Token(token)) => token,
        _ => panic!("{json}"),
    }
}

#[test]
fn the_token_of_a_broker_is_renewed_before_its_client_asks() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (url, requests) = server(|number| token(&format!("t{number}"), 5)).await;
        let token = broker_token(&url, &folder);
        let error = token.now().unwrap_err();
        assert_eq!(error.detail, "it is asked for the first token");
        assert_eq!(token.ready().await.unwrap(), "t0");
        let (renewed, good_for) =
            until(|| Some(token.now().unwrap()).filter(|(it, _)| it != "t0")).await;
        assert_eq!(renewed, "t1");
        assert!(good_for > Duration::from_secs(4), "{good_for:?}");
        assert_eq!(requests.borrow().len(), 2);
        drop(token);
        // Another one is renewed after the first would have been.
        let other = broker_token(&url, &folder);
        let first = other.ready().await.unwrap();
        until(|| Some(other.now().unwrap()).filter(|(it, _)| *it != first)).await;
        assert_eq!(
            requests.borrow().len(),
            4,
            "nobody holds the first any more"
        );
    });
}

#[test]
fn another_token_is_asked_for_where_a_broker_refuses_one() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (url, requests) = server(|number| token(&format!("t{number}"), 3600)).await;
        let token = broker_token(&url, &folder);
        assert_eq!(token.ready().await.unwrap(), "t0");
        let BearerToken::Renewed(client) = &token else {
            panic!("it is of a file");
        };
        // Who was shown the one before says so late. Nobody listens yet.
        token.refused("another one");
        assert!(client.refused.notified().now_or_never().is_none());
        token.refused("t0");
        token.refused("t0");
        until(|| token.now().ok().filter(|(it, _)| it == "t1")).await;
        assert_eq!(requests.borrow().len(), 2);
    });
}

#[test]
fn a_broker_gets_a_good_token_through_an_outage_and_then_the_cause() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let script = |number| match number {
            0 => token("t", 4),
            1..5 => (503, String::new()),
            _ => token("u", 60),
        };
        let (url, requests) = server(script).await;
        let token = broker_token(&url, &folder);
        assert_eq!(token.ready().await.unwrap(), "t");
        // The first failures are over before the token is.
        until(|| (requests.borrow().len() > 1).then_some(())).await;
        assert_eq!(token.now().unwrap().0, "t");
        let error = until(|| token.now().err()).await;
        assert_eq!(
            error.to_string(),
            "token endpoint does not answer: 127.0.0.1: status 503"
        );
        assert_eq!(token.ready().await.unwrap_err(), error);
        let (renewed, _) = until(|| token.now().ok()).await;
        assert_eq!(renewed, "u");
    });
}

#[test]
fn a_broker_is_told_a_token_or_a_password_and_no_header() {
    let folder = tempfile::tempdir().unwrap();
    let secret = serde_json::json!({ "file": secret_file(&folder, "secret", "geheim\n") });
    let of = |json: Json| read_json(&json.to_string(), read).unwrap().for_broker();
    match of(serde_json::json!({ "token": secret })) {
        Some(BrokerCredential::Token(token)) => assert_eq!(token.now().unwrap().0, "geheim"),
        _ => panic!("no token"),
    }
    match of(serde_json::json!({ "user": "brug", "password": secret })) {
        Some(BrokerCredential::Password { user, password }) => {
            assert_eq!((user.as_str(), &*password), ("brug", "geheim"));
        }
        _ => panic!("no password"),
    }
    for json in [
        serde_json::json!({ "api_key": secret }),
        serde_json::json!({ "authorization": secret }),
        serde_json::json!({ "zgw_secret": secret, "client_id": "brug" }),
    ] {
        assert!(of(json.clone()).is_none(), "{json}");
    }
}
