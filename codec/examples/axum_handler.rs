//! An axum handler that takes events in every content mode and answers with one in binary mode.
//!
//! `axum::serve(listener, router())` puts it on a socket. Here a request is handed to it directly:
//!
//! ```text
//! cargo run -p cloudevents-nl-codec --features http --example axum_handler
//! ```

use std::error::Error;

use axum::Router;
use axum::body::Body;
use axum::routing::post;
use bytes::Bytes;
use cloudevents_nl_codec::{
    ContentMode, DecodeError, DecodeErrorKind, Decoder, Event, HTTP, Header, JsonText, encode_http,
};
use futures_util::FutureExt;
use http::{HeaderMap, Request, StatusCode};
use tower_service::Service;

/// What is answered: headers and body, or a status and the reason.
type Answer = Result<(HeaderMap, Vec<u8>), (StatusCode, String)>;

/// Events go to `/events`.
pub(crate) fn router() -> Router {
    Router::new().route("/events", post(take))
}

/// Takes one event or a batch, and confirms their ids.
async fn take(headers: HeaderMap, body: Bytes) -> Answer {
    let decoded = Decoder::default()
        .decode_any(&HTTP, headers.iter().map(Header::from), Some(&body))
        .map_err(|error| (status(&error), error.to_string()))?;
    let mut ids = Vec::new();
    for event in decoded.into_events() {
        // Here your work begins: `event.ty()`, `event.data_as::<Verhuizing>()`.
        ids.push(event.id().to_owned());
    }
    receipt(&ids).map_err(|error| (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()))
}

/// The sender can do something about all three; it should not repeat any as it is.
fn status(error: &DecodeError) -> StatusCode {
    match error.kind {
        DecodeErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        DecodeErrorKind::UnsupportedFormat => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        _ => StatusCode::BAD_REQUEST,
    }
}

fn receipt(ids: &[String]) -> Result<(HeaderMap, Vec<u8>), Box<dyn Error>> {
    let event = Event::new("receipt-1", "/receiver", "nl.example.ontvangen")?
        .with_json(JsonText::of_value(ids)?);
    let (headers, body) = encode_http(&event, ContentMode::Binary)?;
    Ok((headers, body.into_owned()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let request = Request::post("/events")
        .header("content-type", "application/json")
        .header("ce-specversion", "1.0")
        .header("ce-id", "doc1")
        .header("ce-source", "/registry")
        .header("ce-type", "nl.brp.verhuisd")
        .body(Body::from(r#"{"huisnummer":1}"#))?;
    // Nothing here waits, so a runtime is not needed.
    let answer = router().call(request).now_or_never();
    let response = answer.ok_or("the handler waits")??;
    println!("{} {:#?}", response.status(), response.headers());
    Ok(())
}
