//! Tokens of an authorization server: how long one is kept, and who asks for the next.

use super::*;

/// As if so many milliseconds had passed.
async fn pass(milliseconds: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_millis(milliseconds)).await;
    tokio::time::resume();
}

#[test]
fn a_token_is_renewed_before_it_expires_by_one_request() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (url, requests) = server(|number| token(&format!("t{number}"), 5)).await;
        let client = client(&url, &folder, "client_secret_basic");
        assert_eq!(text(&client.proof().await.unwrap()), "Bearer t0");
        pass(4100).await;
        let asked = futures_util::future::join_all((0..8).map(|_| client.proof())).await;
        assert!(asked.iter().all(Result::is_ok));
        assert_eq!(text(&client.proof().await.unwrap()), "Bearer t1");
        assert_eq!(requests.borrow().len(), 2);
    });
}

#[test]
fn a_token_that_never_expires_is_kept_for_a_day() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (url, requests) = server(|_| token("t", u64::MAX)).await;
        let client = client(&url, &folder, "client_secret_basic");
        assert_eq!(text(&client.proof().await.unwrap()), "Bearer t");
        assert_eq!(text(&client.proof().await.unwrap()), "Bearer t");
        assert_eq!(requests.borrow().len(), 1);
    });
}

#[test]
fn a_refused_token_is_replaced_once_for_all_who_hold_it() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let (url, requests) = server(|number| token(&format!("t{number}"), 3600)).await;
        let client = client(&url, &folder, "client_secret_basic");
        let refused = client.proof().await.unwrap();
        let deadline = Instant::now() + Duration::from_secs(20);
        let renewed = (0..8).map(|_| client.renew(&refused, deadline));
        for renewed in futures_util::future::join_all(renewed).await {
            assert_eq!(text(&renewed.unwrap().unwrap()), "Bearer t1");
        }
        assert_eq!(requests.borrow().len(), 2);
    });
}

#[test]
fn a_lifetime_may_be_a_text_or_a_fraction_and_a_token_is_not_empty() {
    run(async {
        for (answer, cause) in [
            (r#""access_token":"t","expires_in":"3600""#, None),
            (r#""access_token":"t","expires_in":3600.5"#, None),
            (r#""access_token":"t","expires_in":-1"#, Some("expires_in")),
            (r#""access_token":"t","expires_in":null"#, None),
            (r#""access_token":"t""#, None),
            (
                r#""access_token":"t","expires_in":"soon""#,
                Some("expires_in"),
            ),
            (r#""access_token":"t","expires_in":[]"#, Some("expires_in")),
            (r#""access_token":"","expires_in":3600"#, Some("empty")),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let body = format!(r#"{{"token_type":"bearer",{answer}}}"#);
            let (url, _) = server(move |_| (200, body.clone())).await;
            let proof = client(&url, &folder, "client_secret_basic").proof().await;
            match (proof, cause) {
                (Ok(proof), None) => assert_eq!(text(&proof), "Bearer t"),
                (Err(error), Some(cause)) => assert!(error.detail.contains(cause), "{error}"),
                (proof, _) => panic!("{answer}: {proof:?}"),
            }
        }
    });
}

#[test]
fn a_good_token_outlives_an_outage_and_nobody_floods_the_server() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let script = |number| match number {
            0 => token("t", 5),
            _ => (503, String::new()),
        };
        let (url, requests) = server(script).await;
        let client = client(&url, &folder, "client_secret_basic");
        client.proof().await.unwrap();
        pass(4100).await;
        for _ in 0..20 {
            assert_eq!(text(&client.proof().await.unwrap()), "Bearer t");
        }
        assert_eq!(
            requests.borrow().len(),
            2,
            "a failure stands for all who ask"
        );
        pass(1100).await;
        let error = client.proof().await.unwrap_err();
        assert_eq!(error.word, "token endpoint does not answer");
    });
}

/// One delivery waits a moment for the server that hangs, the others not at all.
#[test]
fn a_server_that_hangs_costs_nobody_a_token_that_is_good() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let hangs = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/token", hangs.local_addr().unwrap());
        let (sender, receiver) = oneshot::channel::<()>();
        tokio::task::spawn_local(async move {
            let (mut stream, _) = hangs.accept().await.unwrap();
            let mut request = [0; 4096];
            assert!(stream.read(&mut request).await.unwrap() > 0);
            let body = token("t", 10).1;
            let length = body.len();
            let answer = format!("HTTP/1.1 200 x\r\ncontent-length: {length}\r\n\r\n{body}");
            stream.write_all(answer.as_bytes()).await.unwrap();
            // Takes no connection any more, and says nothing.
            drop(receiver.await);
            drop(hangs);
        });
        let client = client(&url, &folder, "client_secret_basic");
        client.proof().await.unwrap();
        pass(8100).await;
        let asked = Instant::now();
        let all = futures_util::future::join_all((0..8).map(|_| client.proof())).await;
        assert!(all.iter().flatten().all(|proof| text(proof) == "Bearer t"));
        assert_eq!(all.iter().flatten().count(), 8);
        assert!(asked.elapsed() >= Duration::from_secs(1));
        drop(sender);
    });
}
