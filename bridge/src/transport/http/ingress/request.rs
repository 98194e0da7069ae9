//! One request, from its headers to its answer.

use std::rc::Rc;

use bytes::Bytes;
use cloudevents_nl_codec::{
    ContentMode, Decoded, Decoder, HTTP, Header, HeaderList, Message, STRUCTURED_JSON,
};
use http::header::{AUTHORIZATION, CONTENT_ENCODING};
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};

use super::answer::{Problem, accepted};
use super::body;
use super::listener::Paths;
use super::path::{OpenRequest, Path};
use crate::delivery::{Delivery, Position, Received, Window};

/// Answers a request, at the latest when its deadline passes.
pub(super) async fn answer(paths: &Paths, request: Request<Incoming>) -> Response<Full<Bytes>> {
    let (head, mut body) = request.into_parts();
    let result = match paths.find(head.uri.path()) {
        Some(path) => take(&path, &head, &mut body)
            .await
            .map(|()| accepted(path.plan.access_token_in_query)),
        None => Err(Problem::unknown_path()),
    };
    body::discard(body);
    result.unwrap_or_else(Problem::into_response)
}

async fn take(path: &Rc<Path>, head: &Parts, body: &mut Incoming) -> Result<(), Problem> {
    let in_flight = enter(path, head)?;
    let headers = received_headers(&head.headers);
    let views: Vec<_> = headers.iter().collect();
    let limit = match mode(&views) {
        ContentMode::Batched => path.decoder.limits().batch_bytes,
        ContentMode::Structured | ContentMode::Binary => path.decoder.limits().event_bytes,
    };
    let deadline = Instant::now() + path.plan.body_timeout;
    let body = body::read(body, limit, deadline, &in_flight).await?;
    let deliveries = match mode(&views) {
        ContentMode::Batched => batch(path, &views, &body, &in_flight.window)?,
        ContentMode::Structured | ContentMode::Binary => {
            drop(views);
            vec![admit(&in_flight.window, 0, headers, body)]
        }
    };
    in_flight.reading.set(0);
    settle(path, &in_flight, deliveries).await
}

/// What can be answered before the body is read.
fn enter(path: &Rc<Path>, head: &Parts) -> Result<OpenRequest, Problem> {
    if head.method != Method::POST {
        return Err(Problem::not_a_post());
    }
    if !path.admits(head) {
        return Err(Problem::no_token());
    }
    let mut codings = head.headers.get_all(CONTENT_ENCODING).iter();
    if codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        return Err(Problem::content_coding());
    }
    if path.intake().is_none() {
        return Err(Problem::not_now("the route is not running"));
    }
    path.enter()
        .ok_or_else(|| Problem::not_now("too many requests in flight"))
}

fn mode(headers: &[Header<'_>]) -> ContentMode {
    let body = None;
    Decoder::mode(&HTTP, &Message { headers, body })
}

/// The headers in order. The token proved who sends and is nobody else's business.
fn received_headers(map: &HeaderMap) -> HeaderList {
    let mut headers = HeaderList::default();
    for (name, value) in map {
        if name != AUTHORIZATION {
            headers.push(name.as_str(), Some(value.as_bytes()));
        }
    }
    headers
}

/// One delivery per element, each as if it had been posted in structured mode.
fn batch(
    path: &Path,
    headers: &[Header<'_>],
    body: &Bytes,
    window: &Rc<Window>,
) -> Result<Vec<Delivery>, Problem> {
    let message = Message {
        headers,
        body: Some(body),
    };
    let elements = match path.decoder.decode(&HTTP, &message) {
        Ok(Decoded::Batch(elements)) => elements,
        Ok(Decoded::Structured(_) | Decoded::Binary(_)) => {
            unreachable!("the decoder was asked for the mode of this message")
        }
        Err(error) => return Err(Problem::undecodable(&error)),
    };
    Ok(elements
        .iter()
        .enumerate()
        .map(|(number, element)| {
            let mut headers = HeaderList::default();
            headers.push("content-type", Some(STRUCTURED_JSON.as_bytes()));
            admit(window, number, headers, body.slice_ref(element.text))
        })
        .collect())
}

fn admit(window: &Rc<Window>, element: usize, headers: HeaderList, body: Bytes) -> Delivery {
    window.admit(Received {
        binding: &HTTP,
        headers,
        key: None,
        body: Some(body),
        timestamp_ms: None,
        position: Position::numbered("http:", element as u64),
        defect: None,
    })
}

/// Hands the deliveries to the route and waits for their verdicts. Only the verdicts of all of them
/// accept the request; a window that the route gave up is as little an answer as a deadline.
async fn settle(
    path: &Path,
    in_flight: &OpenRequest,
    deliveries: Vec<Delivery>,
) -> Result<(), Problem> {
    // The route may have been told to stop while the body came in.
    let not_running = || Problem::not_now("the route is not running");
    let intake = path.intake().ok_or_else(not_running)?;
    let window = &in_flight.window;
    let verdicts = async {
        intake.push(deliveries).await.map_err(|_| not_running())?;
        window.finished().await;
        Ok(())
    };
    let waited = timeout_at(Instant::now() + path.plan.deadline, verdicts).await;
    let unsettled = match waited {
        Ok(result) => result.map(|()| "given up by the route; repeat the request")?,
        Err(_) => "not acknowledged in time; repeat the request",
    };
    if let Some(refusal) = window.refusal() {
        Err(Problem::refused(&refusal))
    } else if window.is_empty() {
        Ok(())
    } else {
        Err(Problem::not_now(unsettled))
    }
}
