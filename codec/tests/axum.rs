//! The axum handler takes events of every mode, and says what is wrong with others.

#![allow(clippy::unwrap_used, reason = "a test may fail this way")]

#[path = "../examples/axum_handler.rs"]
#[allow(dead_code, reason = "its main shows one request")]
mod axum_handler;

use axum::body::Body;
use futures_util::FutureExt;
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use tower_service::Service;

fn post(content_type: &str, body: &'static str) -> (StatusCode, String) {
    let request = Request::post("/events")
        .header("content-type", content_type)
        .body(Body::from(body))
        .unwrap();
    let answer = axum_handler::router().call(request).now_or_never().unwrap();
    let (head, body) = answer.unwrap().into_parts();
    let body = body.collect().now_or_never().unwrap().unwrap().to_bytes();
    (head.status, String::from_utf8(body.into()).unwrap())
}

#[test]
fn confirms_every_id() {
    let event = r#"{"specversion":"1.0","id":"7","source":"/a","type":"b"}"#;
    let answer = post("application/cloudevents+json", event);
    assert_eq!(answer, (StatusCode::OK, "7".into()));
    let batch = r#"[{"specversion":"1.0","id":"7","source":"/a","type":"b"},
        {"specversion":"1.0","id":"8","source":"/a","type":"b"}]"#;
    let answer = post("application/cloudevents-batch+json", batch);
    assert_eq!(answer, (StatusCode::OK, "7\n8".into()));
}

#[test]
fn tells_the_sender_what_is_wrong() {
    for (content_type, body, status, text) in [
        (
            "application/cloudevents+json",
            r#"{"specversion":"1.0","id":""}"#,
            StatusCode::BAD_REQUEST,
            r#"attribute "id": "#,
        ),
        (
            "application/cloudevents+avro",
            "",
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "message: ",
        ),
        (
            "text/plain",
            "hoi",
            StatusCode::BAD_REQUEST,
            "message: not a CloudEvent",
        ),
    ] {
        let (found, told) = post(content_type, body);
        assert_eq!(found, status);
        assert!(told.starts_with(text), "{told}");
    }
}
