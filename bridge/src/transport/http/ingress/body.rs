//! Reads a body under its limits, and throws the rest of a refused one away.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use tokio::time::{Instant, timeout};

use super::answer::Problem;
use super::path::OpenRequest;

/// How much of a refused body is still read, so that a sender that writes first and reads later
/// gets to see the answer instead of a reset.
const LINGER_BYTES: usize = 4 << 20;
const LINGER_TIME: Duration = Duration::from_secs(1);

/// The whole body, without a copy where it arrived in one piece.
///
/// # Errors
/// 413 above `limit` bytes, declared or counted; 503 when the path holds too many bytes already;
/// 408 at the deadline; 400 when the body breaks off.
pub(super) async fn read(
    body: &mut Incoming,
    limit: usize,
    deadline: Instant,
    in_flight: &OpenRequest,
) -> Result<Bytes, Problem> {
    let declared = body.size_hint().exact();
    if declared.is_some_and(|length| length > limit as u64) {
        return Err(Problem::too_large(limit));
    }
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    let mut length = 0;
    loop {
        let frame = match tokio::time::timeout_at(deadline, body.frame()).await {
            Err(_) => return Err(Problem::too_slow()),
            Ok(None) => break,
            Ok(Some(Err(_))) => return Err(Problem::broken_body()),
            Ok(Some(Ok(frame))) => frame,
        };
        let Ok(data) = frame.into_data() else {
            continue;
        };
        length += data.len();
        if length > limit {
            return Err(Problem::too_large(limit));
        }
        if !in_flight.grow(data.len()) {
            return Err(Problem::not_now("too many bytes in flight").closing());
        }
        if first.is_empty() && rest.is_empty() {
            first = data;
        } else {
            if rest.is_empty() {
                let expected = declared.and_then(|length| usize::try_from(length).ok());
                rest.reserve(expected.unwrap_or(2 * length));
                rest.extend_from_slice(&first);
            }
            rest.extend_from_slice(&data);
        }
    }
    Ok(if rest.is_empty() {
        first
    } else {
        rest.freeze()
    })
}

/// Reads on for a moment after a refusal.
pub(super) fn discard(mut body: Incoming) {
    if body.is_end_stream() {
        return;
    }
    tokio::task::spawn_local(async move {
        let read = async {
            let mut left = LINGER_BYTES;
            while let Some(Ok(frame)) = body.frame().await {
                let length = frame.data_ref().map_or(0, Bytes::len);
                match left.checked_sub(length) {
                    Some(rest) => left = rest,
                    None => return,
                }
            }
        };
        drop(timeout(LINGER_TIME, read).await);
    });
}
