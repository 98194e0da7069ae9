//! Faults are told without what is secret.

use super::*;

#[test]
fn what_a_server_answers_is_told_without_what_it_was_sent() {
    run(async {
        for (status, body, word, detail) in [
            (
                400,
                r#"{"error":"invalid_client","error_description":"s3 cret"}"#,
                "token endpoint refuses us",
                "127.0.0.1: status 400 invalid_client",
            ),
            (
                401,
                r#"{"error":"s3 cret"}"#,
                "token endpoint refuses us",
                "127.0.0.1: status 401",
            ),
            (
                302,
                "",
                "token endpoint refuses us",
                "127.0.0.1: status 302",
            ),
            (
                500,
                "",
                "token endpoint does not answer",
                "127.0.0.1: status 500",
            ),
            (
                200,
                r#"{"access_token":"t","token_type":"DPoP"}"#,
                "token endpoint gives no token",
                "127.0.0.1: the token is no bearer token",
            ),
            (
                200,
                "{}",
                "token endpoint gives no token",
                "127.0.0.1: the answer is not that of RFC 6749, section 5.1",
            ),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let (url, _requests) = server(move |_| (status, body.to_owned())).await;
            let client = client(&url, &folder, "client_secret_post");
            let error = client.proof().await.unwrap_err();
            assert_eq!((error.word, error.detail.as_str()), (word, detail));
        }
    });
}

#[test]
fn every_fault_is_reported_and_no_secret_shown() {
    let folder = tempfile::tempdir().unwrap();
    let secret = serde_json::json!({ "file": secret_file(&folder, "secret", "x") });
    let empty = secret_file(&folder, "empty", "");
    let oauth = |more: Json| {
        let mut json =
            serde_json::json!({ "token_url": "https://a.example/token", "client_id": "b" });
        json.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json.to_string()
    };
    for (json, keys) in [
        ("{}".to_owned(), &[""][..]),
        (
            serde_json::json!({ "token": secret, "api_key": secret }).to_string(),
            &[""],
        ),
        (
            serde_json::json!({ "token": "hunter2" }).to_string(),
            &["token"],
        ),
        (
            serde_json::json!({ "password": secret }).to_string(),
            &["user"],
        ),
        (
            serde_json::json!({ "password": secret, "user": "a:b" }).to_string(),
            &["user"],
        ),
        (
            serde_json::json!({ "api_key": secret, "header": "a b" }).to_string(),
            &["header"],
        ),
        (oauth(serde_json::json!({})), &["client_secret"]),
        (
            oauth(serde_json::json!({ "client_authentication": "private_key_jwt" })),
            &["private_key_file"],
        ),
        (
            oauth(serde_json::json!({ "client_authentication": "tls_client_auth" })),
            &["certificate_file"],
        ),
        (
            oauth(serde_json::json!({ "client_secret": secret, "token_url": "http://a.example/" })),
            &["token_url"],
        ),
        (
            oauth(serde_json::json!({
                "client_authentication": "private_key_jwt",
                "private_key_file": folder.path().join("secret"),
            })),
            &["private_key_file"],
        ),
        (
            oauth(serde_json::json!({ "client_secret": { "file": folder.path().join("none") } })),
            &["client_secret"],
        ),
        (
            oauth(serde_json::json!({ "client_secret": { "file": empty } })),
            &["client_secret"],
        ),
    ] {
        assert_eq!(faults(&json, read), keys, "{json}");
    }
}
