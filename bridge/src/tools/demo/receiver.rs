//! The receiver of the demo. Now and then it answers 503 for a second, or 429, and a case that ends before it
//! begins draws 400.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Deserialize;
use serde_json::value::{RawValue, Value};
use tokio::net::TcpListener;
use tokio::task::spawn_local;
use tokio::time::Instant;

use super::check::{Arrival, Observed};

/// In requests.
const CLOSED_EVERY: u64 = 450;
/// Also its `Retry-After`.
const CLOSED: Duration = Duration::from_secs(1);
const PAUSE_EVERY: u64 = 280;
const BODY_BYTES: usize = 1 << 20;

/// Read by another JSON reader than the bridge's.
#[derive(Deserialize)]
struct Event<'a> {
    id: String,
    #[serde(rename = "type")]
    ty: String,
    #[serde(borrow)]
    data: &'a RawValue,
}

pub(super) async fn serve(listener: TcpListener, observed: Rc<RefCell<Observed>>) {
    while let Ok((stream, _)) = listener.accept().await {
        let observed = Rc::clone(&observed);
        spawn_local(async move {
            let service = service_fn(|request| answer(request, &observed));
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), service);
            // A connection that breaks is the sender's to notice.
            connection.await.ok();
        });
    }
}

async fn answer(
    request: Request<Incoming>,
    observed: &RefCell<Observed>,
) -> Result<Response<Full<Bytes>>, http::Error> {
    let body = Limited::new(request.into_body(), BODY_BYTES);
    let status = match body.collect().await {
        Ok(body) => observed.borrow_mut().status(&body.to_bytes()),
        Err(_) => StatusCode::BAD_REQUEST,
    };
    let mut response = Response::builder().status(status);
    if status == StatusCode::SERVICE_UNAVAILABLE || status == StatusCode::TOO_MANY_REQUESTS {
        response = response.header(RETRY_AFTER, CLOSED.as_secs());
    }
    response.body(Full::default())
}

impl Observed {
    fn status(&mut self, body: &[u8]) -> StatusCode {
        let failed = self.unavailable + self.too_many + self.refused;
        let requests = self.accepted.len() as u64 + failed + 1;
        if requests.is_multiple_of(CLOSED_EVERY) {
            self.closed_until = Some(Instant::now() + CLOSED);
        }
        if self.closed_until.is_some_and(|end| Instant::now() < end) {
            self.unavailable += 1;
            return StatusCode::SERVICE_UNAVAILABLE;
        }
        if requests.is_multiple_of(PAUSE_EVERY) {
            self.too_many += 1;
            return StatusCode::TOO_MANY_REQUESTS;
        }
        match serde_json::from_slice::<Event<'_>>(body) {
            Ok(Event { id, ty, data }) if !is_refused(&ty, data) => {
                let text = data.get().to_owned();
                self.accepted.push(Arrival { id, text });
                StatusCode::NO_CONTENT
            }
            _ => {
                self.refused += 1;
                StatusCode::BAD_REQUEST
            }
        }
    }
}

/// Dates in this form sort as text.
fn is_refused(ty: &str, data: &RawValue) -> bool {
    let case: Value = serde_json::from_str(data.get()).unwrap_or_default();
    ty.starts_with("nl.zaken.") && case["einddatum"].as_str() < case["begindatum"].as_str()
}

#[cfg(test)]
mod tests {
    use super::super::events::plan;
    use super::*;

    #[test]
    fn refuses_exactly_the_poison_once_its_moods_are_over() {
        let mut observed = Observed::default();
        let plan = plan("test");
        // In structured mode, the body is all it looks at.
        let structured = plan.iter().filter(|planned| planned.headers.len() == 1);
        for planned in structured.take(200) {
            let expected = match planned.is_good {
                true => StatusCode::NO_CONTENT,
                false => StatusCode::BAD_REQUEST,
            };
            let status = observed.status(planned.body.as_bytes());
            assert_eq!(status, expected, "{}", planned.id);
        }
        assert_eq!(observed.accepted.len() + observed.refused as usize, 200);
        assert!(observed.refused > 0);
    }

    #[tokio::test]
    async fn asks_for_a_pause_and_closes_now_and_then() {
        let mut observed = Observed::default();
        for request in 1..=CLOSED_EVERY + 1 {
            let expected = match request {
                PAUSE_EVERY => StatusCode::TOO_MANY_REQUESTS,
                request if request >= CLOSED_EVERY => StatusCode::SERVICE_UNAVAILABLE,
                _ => StatusCode::BAD_REQUEST,
            };
            assert_eq!(observed.status(b"{}"), expected, "{request}");
        }
    }
}
