//! The receiver of the demo: real HTTP on loopback, with the moods of a real one. Now and then it
//! is closed for a second (503) or asks for a pause (429), and it refuses a case that ends before
//! it begins (400).

use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::check::Arrival;
use super::record::Record;

/// Every how many requests it closes for [`CLOSED`].
const CLOSED_EVERY: u64 = 450;

/// How long it is closed, and what its `Retry-After` says.
const CLOSED: Duration = Duration::from_secs(1);

/// Every how many requests it asks for a pause.
const PAUSE_EVERY: u64 = 280;

/// Far more than any event of the demo.
const BODY_BYTES: usize = 1 << 20;

/// An event as this receiver understands it, through another JSON reader than the bridge's.
#[derive(Deserialize)]
struct Event<'a> {
    id: String,
    #[serde(rename = "type")]
    ty: String,
    #[serde(borrow)]
    data: &'a RawValue,
}

#[derive(Deserialize)]
struct Case {
    begindatum: Option<String>,
    einddatum: Option<String>,
}

/// Starts the receiver on a thread of its own, for as long as the process lives.
pub(super) fn start(record: Arc<Record>) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    thread::Builder::new()
        .name("receiver".into())
        .spawn(move || {
            runtime.block_on(async {
                match tokio::net::TcpListener::from_std(listener) {
                    Ok(listener) => serve(listener, Mood::new(record)).await,
                    Err(error) => tracing::error!(%error, "receiver cannot listen"),
                }
            });
        })?;
    Ok(address)
}

async fn serve(listener: tokio::net::TcpListener, mood: Arc<Mood>) {
    while let Ok((stream, _)) = listener.accept().await {
        let mood = Arc::clone(&mood);
        tokio::spawn(async move {
            let service = service_fn(|request| answer(request, &mood));
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
    mood: &Mood,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let response = match Limited::new(request.into_body(), BODY_BYTES)
        .collect()
        .await
    {
        Ok(body) => mood.answer(&body.to_bytes()),
        Err(_) => problem(StatusCode::BAD_REQUEST, "the body did not arrive"),
    };
    Ok(response)
}

/// What it answers, and what it remembers.
struct Mood {
    record: Arc<Record>,
    state: std::sync::Mutex<State>,
}

#[derive(Default)]
struct State {
    requests: u64,
    closed_until: Option<Instant>,
}

impl Mood {
    fn new(record: Arc<Record>) -> Arc<Self> {
        let state = std::sync::Mutex::default();
        Arc::new(Self { record, state })
    }

    fn answer(&self, body: &[u8]) -> Response<Full<Bytes>> {
        let mut state = self.state.lock().expect("nothing panics while it is held");
        let mut seen = self.record.lock();
        state.requests += 1;
        if state.closed_until.is_some_and(|end| Instant::now() < end) {
            seen.unavailable += 1;
            return retry_after(StatusCode::SERVICE_UNAVAILABLE);
        }
        if state.requests.is_multiple_of(CLOSED_EVERY) {
            state.closed_until = Some(Instant::now() + CLOSED);
            seen.unavailable += 1;
            return retry_after(StatusCode::SERVICE_UNAVAILABLE);
        }
        if state.requests.is_multiple_of(PAUSE_EVERY) {
            seen.too_many += 1;
            return retry_after(StatusCode::TOO_MANY_REQUESTS);
        }
        let Ok(event) = serde_json::from_slice::<Event<'_>>(body) else {
            seen.refused += 1;
            return problem(StatusCode::BAD_REQUEST, "not an event with data");
        };
        if event.ty.starts_with("nl.zaken.") && ends_before_it_begins(event.data) {
            seen.refused += 1;
            return problem(StatusCode::BAD_REQUEST, "einddatum is before begindatum");
        }
        seen.arrive(Arrival {
            id: event.id,
            data: event.data.get().to_owned(),
        });
        status(StatusCode::NO_CONTENT)
    }
}

fn ends_before_it_begins(data: &RawValue) -> bool {
    let Ok(case) = serde_json::from_str::<Case>(data.get()) else {
        return false;
    };
    // Dates in this form sort as text.
    matches!((case.begindatum, case.einddatum), (Some(begin), Some(end)) if end < begin)
}

fn retry_after(code: StatusCode) -> Response<Full<Bytes>> {
    let mut response = status(code);
    let seconds = header::HeaderValue::from(CLOSED.as_secs());
    response.headers_mut().insert(header::RETRY_AFTER, seconds);
    response
}

fn problem(code: StatusCode, title: &'static str) -> Response<Full<Bytes>> {
    let body = serde_json::json!({ "status": code.as_u16(), "title": title }).to_string();
    let mut response = status(code);
    *response.body_mut() = Full::from(body);
    let json = header::HeaderValue::from_static("application/problem+json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

fn status(code: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = code;
    response
}

#[cfg(test)]
mod tests {
    use super::super::events::{Fate, plan};
    use super::*;

    #[test]
    fn refuses_exactly_the_poison_once_its_moods_are_over() {
        let record = Arc::new(Record::default());
        let mood = Mood::new(Arc::clone(&record));
        // In structured mode, the body is all it looks at.
        for planned in plan("test")
            .iter()
            .filter(|planned| planned.headers.len() == 1)
            .take(200)
        {
            let expected = match planned.fate {
                Fate::Delivered => StatusCode::NO_CONTENT,
                Fate::DeadLettered => StatusCode::BAD_REQUEST,
            };
            assert_eq!(
                mood.answer(&planned.body).status(),
                expected,
                "{}",
                planned.id
            );
        }
        let seen = record.lock();
        assert_eq!(seen.arrivals.len() + seen.refused as usize, 200);
        assert!(seen.refused > 0);
    }

    #[test]
    fn asks_for_a_pause_and_closes_now_and_then() {
        let record = Arc::new(Record::default());
        let mood = Mood::new(Arc::clone(&record));
        for request in 1..=CLOSED_EVERY + 1 {
            let answer = mood.answer(b"{}");
            let expected = match request {
                PAUSE_EVERY => StatusCode::TOO_MANY_REQUESTS,
                request if request >= CLOSED_EVERY => StatusCode::SERVICE_UNAVAILABLE,
                _ => StatusCode::BAD_REQUEST,
            };
            assert_eq!(answer.status(), expected, "{request}");
            let asks = answer.headers().contains_key(header::RETRY_AFTER);
            assert_eq!(asks, expected != StatusCode::BAD_REQUEST);
        }
    }
}
