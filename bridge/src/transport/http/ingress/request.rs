//! One request, from its headers to its answer.

use std::net::IpAddr;
use std::rc::Rc;

use bytes::Bytes;
use cloudevents_nl_codec::{
    ContentMode, Decoded, Decoder, HTTP, Header, HeaderList, Message, STRUCTURED_JSON,
};
use http::header::{ACCEPT_LANGUAGE, ALLOW, AUTHORIZATION, CONTENT_ENCODING, WWW_AUTHENTICATE};
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use tokio::time::{Instant, timeout, timeout_at};

use super::answer::{ProblemDetails, accepted};
use super::body;
use super::listener::Served;
use super::path::{IngressPath, OpenRequest};
use super::refusals::OTHER;
use crate::delivery::{Delivery, Position, Received, Refusal, Window};
use crate::server::Language;

const LATE: &str = "not acknowledged in time; repeat the request";

pub(super) async fn answer(
    served: &Served,
    path: Option<&Rc<IngressPath>>,
    request: Request<Incoming>,
    peer: IpAddr,
) -> Response<Full<Bytes>> {
    let (head, mut body) = request.into_parts();
    let result = match path {
        Some(path) => take(path, &head, &mut body)
            .await
            .map(|()| accepted(path.settings.access_token_in_query)),
        None => {
            let detail = "no route takes events on this path";
            Err(ProblemDetails::new(StatusCode::NOT_FOUND, detail))
        }
    };
    body::discard(body);
    // What else stands in a URL is not logged: it may hold a secret.
    let (name, answers) = match path {
        Some(path) => (&*path.settings.path, &path.answers),
        None => (OTHER, &served.other),
    };
    let response = result.unwrap_or_else(|problem| {
        let peer = served.refusals.sender(&head, peer);
        (served.refusals).add(name, problem.status, peer, &problem.reason);
        problem.into_response()
    });
    answers.count(response.status());
    response
}

async fn take(
    path: &Rc<IngressPath>,
    head: &Parts,
    body: &mut Incoming,
) -> Result<(), ProblemDetails> {
    let in_flight = enter(path, head)?;
    let headers = received_headers(&head.headers);
    let views: Vec<_> = headers.iter().collect();
    let message = Message {
        headers: &views,
        body: None,
    };
    let is_batch = Decoder::mode(&HTTP, &message) == ContentMode::Batched;
    let limits = path.decoder.limits();
    let limit = match is_batch {
        true => limits.batch_bytes,
        false => limits.event_bytes,
    };
    let read = timeout(
        path.settings.body_timeout,
        body::read(body, limit, &in_flight),
    );
    let body = tokio::select! {
        read = read => read.map_err(|_| {
            let detail = "the body did not arrive in time";
            ProblemDetails::new(StatusCode::REQUEST_TIMEOUT, detail).closing()
        })??,
        // Reading on would hold up the stop.
        () = in_flight.stopped() => return Err(ProblemDetails::not_running().closing()),
    };
    let deadline = Instant::now() + path.settings.deadline;
    // Deliveries are made where they can be handed over: one that is dropped is a fault.
    let intake = path.intake().ok_or_else(ProblemDetails::not_running)?;
    let room = timeout_at(deadline, intake.room());
    let room = room.await.map_err(|_| ProblemDetails::not_now(LATE))?;
    let room = room.map_err(|_| ProblemDetails::not_running())?;
    let deliveries = match is_batch {
        true => batch(path, &views, &body, &in_flight.window)?,
        false => vec![admit(&in_flight.window, 0, headers, body)],
    };
    in_flight.reading.set(0);
    room.send(deliveries);
    let refused = |refusal: &Refusal| {
        let language = head.headers.get(ACCEPT_LANGUAGE);
        let language = language.and_then(|value| value.to_str().ok());
        ProblemDetails::refused(refusal, Language::of(None, language), is_batch)
    };
    settled(&in_flight.window, deadline, refused).await
}

fn enter(path: &Rc<IngressPath>, head: &Parts) -> Result<OpenRequest, ProblemDetails> {
    if head.method != Method::POST {
        let problem = ProblemDetails::new(StatusCode::METHOD_NOT_ALLOWED, "events are posted");
        return Err(problem.with(ALLOW, "POST"));
    }
    if let Err((detail, challenge)) = path.check_token(head) {
        let problem = ProblemDetails::new(StatusCode::UNAUTHORIZED, detail);
        return Err(problem.with(WWW_AUTHENTICATE, challenge));
    }
    let mut codings = head.headers.get_all(CONTENT_ENCODING).iter();
    if codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        let detail = "the body is compressed, which is not supported";
        return Err(ProblemDetails::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            detail,
        ));
    }
    if path.intake().is_none() {
        return Err(ProblemDetails::not_running());
    }
    path.enter()
        .ok_or_else(|| ProblemDetails::not_now("too many requests in flight"))
}

/// Without the token, which is nobody else's business.
fn received_headers(map: &HeaderMap) -> HeaderList {
    let mut headers = HeaderList::default();
    for (name, value) in map {
        if name != AUTHORIZATION {
            headers.push(name.as_str(), Some(value.as_bytes()));
        }
    }
    headers
}

/// Each element as if it had been posted in structured mode.
fn batch(
    path: &IngressPath,
    headers: &[Header<'_>],
    body: &Bytes,
    window: &Rc<Window>,
) -> Result<Vec<Delivery>, ProblemDetails> {
    let message = Message {
        headers,
        body: Some(body),
    };
    let elements = match path.decoder.decode(&HTTP, &message) {
        Ok(Decoded::Batch(elements)) => elements,
        Ok(Decoded::Structured(_) | Decoded::Binary(_)) => {
            unreachable!("the decoder was asked for the mode of this message")
        }
        Err(error) => return Err(ProblemDetails::undecodable(&error)),
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

/// Only the verdicts of all deliveries accept the request.
async fn settled(
    window: &Window,
    deadline: Instant,
    refused: impl FnOnce(&Refusal) -> ProblemDetails,
) -> Result<(), ProblemDetails> {
    let unsettled = match timeout_at(deadline, window.finished()).await {
        Ok(()) => "given up by the route; repeat the request",
        Err(_) => LATE,
    };
    if let Some(refusal) = window.refusal() {
        Err(refused(&refusal))
    } else if window.is_empty() {
        Ok(())
    } else {
        Err(ProblemDetails::not_now(unsettled))
    }
}
