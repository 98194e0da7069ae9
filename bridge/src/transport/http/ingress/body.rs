//! Reads a body under its limits, and discards the rest of a refused one.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body_util::{BodyExt, Limited};
use hyper::body::{Body, Incoming};
use tokio::time::timeout;

use super::answer::ProblemDetails;
use super::path::OpenRequest;

/// Read of a refused body, so that a sender that writes first sees the answer instead of a reset.
const LINGER_BYTES: usize = 4 << 20;
const LINGER_TIME: Duration = Duration::from_secs(1);

/// Without a copy where its first piece is known to be all of it.
pub(super) async fn read(
    body: &mut Incoming,
    limit: usize,
    request: &OpenRequest,
) -> Result<Bytes, ProblemDetails> {
    let declared = body.size_hint().exact();
    if declared.is_some_and(|length| length > limit as u64) {
        return Err(ProblemDetails::too_large(limit));
    }
    let (mut read, mut length) = (BytesMut::new(), 0);
    while let Some(frame) = body.frame().await {
        let broken = "the body is cut off or malformed";
        let frame =
            frame.map_err(|_| ProblemDetails::new(StatusCode::BAD_REQUEST, broken).closing())?;
        let Ok(data) = frame.into_data() else {
            continue;
        };
        length += data.len();
        if length > limit {
            return Err(ProblemDetails::too_large(limit));
        }
        if !request.grow(data.len()) {
            return Err(ProblemDetails::not_now("too many bytes in flight").closing());
        }
        if read.is_empty() {
            if body.is_end_stream() {
                return Ok(data);
            }
            let expected = declared.and_then(|length| usize::try_from(length).ok());
            read.reserve(expected.unwrap_or(2 * length));
        }
        read.extend_from_slice(&data);
    }
    Ok(read.freeze())
}

pub(in crate::transport::http) fn discard(body: Incoming) {
    if !body.is_end_stream() {
        let mut body = Limited::new(body, LINGER_BYTES);
        let read = async move { while let Some(Ok(_)) = body.frame().await {} };
        tokio::task::spawn_local(timeout(LINGER_TIME, read));
    }
}
