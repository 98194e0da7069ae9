//! An axum handler that takes events in every content mode; `axum::serve(listener, router())` puts it on a socket.
//! Bodies end at 2 MB in axum and batches at 4 MiB here: add the layer `DefaultBodyLimit::max(4 << 20)` for those.

use std::error::Error;

use axum::{Router, body::Body, routing::post};
use bytes::Bytes;
use cloudevents_nl_codec::{DecodeError, DecodeErrorKind, Decoder, Event, HTTP, Header};
use futures_util::FutureExt;
use http::{HeaderMap, Request, StatusCode};
use tower_service::Service;

pub(crate) fn router() -> Router {
    Router::new().route("/events", post(take))
}

async fn take(headers: HeaderMap, body: Bytes) -> Result<String, (StatusCode, String)> {
    let headers = headers.iter().map(Header::from);
    let decoded = Decoder::default().decode_any(&HTTP, headers, Some(&body));
    let decoded = decoded.map_err(|error| (status(&error), error.to_string()))?;
    // Here your work begins: `event.ty()`, `event.data_as::<Verhuizing>()`.
    let events: Vec<_> = decoded.into_events().collect();
    Ok(events.iter().map(Event::id).collect::<Vec<_>>().join("\n"))
}

fn status(error: &DecodeError) -> StatusCode {
    match error.kind {
        DecodeErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        DecodeErrorKind::UnsupportedFormat => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        _ => StatusCode::BAD_REQUEST,
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let event = r#"{"specversion":"1.0","id":"doc1","source":"/registry","type":"a"}"#;
    let request = Request::post("/events").header("content-type", "application/cloudevents+json");
    let response = router().call(request.body(Body::from(event))?);
    println!("{:?}", response.now_or_never().ok_or("it waits")??);
    Ok(())
}
