//! Bearer tokens that are renewed while the bridge runs.

use super::*;
use crate::config::SecretPlace;
use crate::credentials::{self, CredentialSettings};

/// A sink that reads its token, `old` to begin with, from this file, and a receiver that replies so.
async fn with_token_of(
    path: &std::path::Path,
    script: impl Fn(usize) -> Reply + 'static,
) -> (Webhook, Rc<receiver::Seen>) {
    std::fs::write(path, "old\n").unwrap();
    let (address, seen) = start(None, script).await;
    let mut with_token = settings(format!("http://{address}/"));
    with_token.credential = Some(CredentialSettings::bearer(SecretPlace::File(
        path.to_owned(),
    )));
    (open(&with_token), seen)
}

/// The tokens that a receiver was shown, in order.
fn tokens(seen: &receiver::Seen) -> Vec<String> {
    let requests = seen.requests.borrow();
    let token = |request: &String| {
        let (_, rest) = request.split_once("\r\nauthorization: Bearer ").unwrap();
        rest.split_once("\r\n").unwrap().0.to_owned()
    };
    requests.iter().map(token).collect()
}

const REFUSED: Outcome = Outcome::Status {
    code: 401,
    retry_after: None,
    error_body: None,
};

#[test]
fn a_renewed_token_is_tried_at_once_and_kept() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let (webhook, seen) = with_token_of(&path, |number| {
            Reply::status(["401 x", "200 OK", "200 OK"][number])
        })
        .await;
        std::fs::write(&path, "new\n").unwrap();
        assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        assert_eq!(webhook.send(batch()).await, Outcome::Delivered);
        assert_eq!(tokens(&seen), ["old", "new", "new"]);
        let requests = seen.requests.borrow();
        assert_eq!(requests[0].replace("old", "new"), requests[1]);
    });
}

#[test]
fn a_renewed_token_is_not_tried_in_a_pause() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let (webhook, seen) =
            with_token_of(&path, |_| Reply::status("401 x\r\nretry-after: 7")).await;
        std::fs::write(&path, "new\n").unwrap();
        let outcome = webhook.send(batch()).await;
        let refused = Outcome::Status {
            code: 401,
            retry_after: Some(Duration::from_secs(7)),
            error_body: None,
        };
        assert_eq!(outcome, refused);
        assert_eq!(tokens(&seen), ["old"]);
    });
}

#[test]
fn a_check_asks_the_place_of_the_events_with_the_token() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        std::fs::write(&path, "old\n").unwrap();
        let (address, seen) = start(None, |_| Reply::status("204 No Content")).await;
        let mut with_token = settings(format!("http://{address}/hook?x=1"));
        with_token.credential = Some(CredentialSettings::bearer(SecretPlace::File(path)));
        let answers = with_token.check(false).await;
        assert!(answers.iter().all(|(_, answer)| answer.is_ok()));
        assert_eq!(tokens(&seen), ["old"]);
        let request = &seen.requests.borrow()[0];
        assert!(request.starts_with("OPTIONS /hook?x=1 HTTP/1.1\r\n"));
        assert!(request.contains(&format!("host: {address}\r\n")));
        assert!(request.ends_with("\r\n\r\n"), "{request}");
    });
}

#[test]
fn a_refused_token_that_is_not_renewed_is_not_tried_again() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let (webhook, seen) = with_token_of(&path, |_| Reply::status("401 x")).await;
        assert_eq!(webhook.send(batch()).await, REFUSED);
        for unusable in ["", "ne\nw"] {
            std::fs::write(&path, unusable).unwrap();
            assert_eq!(webhook.send(batch()).await, REFUSED);
        }
        std::fs::remove_file(&path).unwrap();
        assert_eq!(webhook.send(batch()).await, REFUSED);
        assert_eq!(tokens(&seen), ["old"; 4]);
    });
}

#[test]
fn a_renewed_token_that_is_refused_too_is_the_end_of_it() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let (webhook, seen) = with_token_of(&path, |number| {
            Reply::status(["401 x", "401 x", "403 x"][number])
        })
        .await;
        std::fs::write(&path, "new\n").unwrap();
        assert_eq!(webhook.send(batch()).await, REFUSED);
        assert_eq!(tokens(&seen), ["old", "new"]);
        // 403 is about what the token allows, not about the token.
        std::fs::write(&path, "newer\n").unwrap();
        let outcome = webhook.send(batch()).await;
        assert!(matches!(outcome, Outcome::Status { code: 403, .. }));
        assert_eq!(tokens(&seen), ["old", "new", "new"]);
    });
}

/// It is shown on, as it may be good elsewhere, and here again.
#[test]
fn a_refused_token_is_told_with_why_there_is_no_other() {
    run(async {
        let secret = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(secret.path(), "s").unwrap();
        let token = r#"{"access_token":"t","token_type":"bearer"}"#;
        for (later, cause) in [
            ("400 x", "status 401, and token endpoint refuses us"),
            ("200 x", "status 401, and token endpoint gives no token"),
            ("503 x", "status 401, and token endpoint does not answer"),
        ] {
            let length = token.len();
            let first = format!("HTTP/1.1 200 x\r\ncontent-length: {length}\r\n\r\n{token}");
            let answer = move |number| match number {
                0 => Reply::Answer(first.clone()),
                _ => Reply::status(later),
            };
            let (endpoint, _asked) = start(None, answer).await;
            let (address, seen) = start(None, |_| Reply::status("401 x")).await;
            let json = serde_json::json!({
                "token_url": format!("http://{endpoint}/token"), "client_id": "brug",
                "client_secret": { "file": secret.path() },
            });
            let mut with_token = settings(format!("http://{address}/"));
            let credential = crate::config::tests::read(&json.to_string(), credentials::read);
            with_token.credential = Some(credential.unwrap());
            let webhook = open(&with_token);
            for _ in 0..2 {
                let outcome = webhook.send(batch()).await;
                assert_eq!(outcome, Outcome::NoToken(cause));
            }
            assert_eq!(tokens(&seen), ["t"; 2]);
        }
    });
}

#[test]
fn every_exchange_under_way_gets_the_renewed_token() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        // All eight are read before the first one is refused.
        let barrier = Arc::new(Barrier::new(8));
        let refused = "HTTP/1.1 401 x\r\ncontent-length: 0\r\n\r\n";
        let script = move |number| match number {
            0..8 => Reply::Together(Arc::clone(&barrier), refused.to_owned()),
            _ => Reply::status("200 OK"),
        };
        let (webhook, seen) = with_token_of(&path, script).await;
        std::fs::write(&path, "new\n").unwrap();
        let outcomes = join_all((0..8).map(|_| webhook.send(batch()))).await;
        assert!(outcomes.iter().all(|o| *o == Outcome::Delivered));
        assert_eq!(tokens(&seen), [["old"; 8], ["new"; 8]].concat());
    });
}

/// A file on a mount that hangs, which a pipe without a writer is like, costs a while and nothing else.
#[test]
fn a_token_that_cannot_be_read_in_time_is_not_waited_for() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let (webhook, seen) = with_token_of(&path, |_| Reply::status("401 x")).await;
        std::fs::remove_file(&path).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let outcomes = join_all((0..8).map(|_| webhook.send(batch()))).await;
        assert_eq!(outcomes, vec![REFUSED; 8]);
        assert_eq!(tokens(&seen), ["old"; 8]);
    });
}
