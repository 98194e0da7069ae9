//! One request, from its headers to its answer.

use std::rc::Rc;

use bytes::Bytes;
use cloudevents_nl_codec::{
    ContentMode, Decoded, Decoder, Event, HTTP, HeaderList, STRUCTURED_JSON,
};
use http::header::{ACCEPT_LANGUAGE, ALLOW, AUTHORIZATION, CONTENT_ENCODING, HOST};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version};
use http_body_util::Full;
use hyper::body::Incoming;
use jiff::Timestamp;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::Instrument;

use super::answer::{ProblemDetails, accepted};
use super::body;
use super::clients::Caller;
use super::consent_requests::{self, ConsentRequest};
use super::handshake::{self, METHODS, allowed_origin};
use super::listener::Served;
use super::path::{IngressPath, OpenRequest};
use super::refusals::OTHER;
use crate::delivery::{Delivery, Position, Received, Window};
use crate::server::{Language, Peer};

pub(super) const LATE: &str = "not acknowledged in time; repeat the request";

pub(super) async fn answer(
    served: Rc<Served>,
    path: Option<Rc<IngressPath>>,
    request: Request<Incoming>,
    peer: Peer,
) -> Response<Full<Bytes>> {
    let (head, mut body) = request.into_parts();
    let result = match (check_headers(&head), &path) {
        (Err(problem), _) => Err(problem),
        (_, Some(path)) => answer_path(path, &head, &mut body, &peer).await,
        (_, None) => Err(served.missing(head.uri.path())),
    };
    body::discard(body);
    // What else stands in a URL is not logged: it may hold a secret.
    let (name, answers) = match &path {
        Some(path) => (&*path.settings.path, &path.answers),
        None => (OTHER, &served.other),
    };
    let response = result.unwrap_or_else(|problem| {
        let _span = path.as_ref().map(|path| path.span.enter());
        let peer = served.refusals.sender(&head, peer.address);
        (served.refusals).add(name, problem.status, peer, &problem.reason);
        problem.into_response()
    });
    answers.count(response.status());
    response
}

/// RFC 9112, section 3.2, and RFC 6750, section 3.1.
fn check_headers(head: &Parts) -> Result<(), ProblemDetails> {
    let needs_host = head.version == Version::HTTP_11;
    for (name, is_needed) in [(HOST, needs_host), (AUTHORIZATION, false)] {
        let count = head.headers.get_all(&name).iter().count();
        if count > 1 || count == 0 && is_needed {
            let detail = format!("the header {name} is there {count} times");
            return Err(ProblemDetails::new(StatusCode::BAD_REQUEST, detail));
        }
    }
    Ok(())
}

async fn answer_path(
    path: &Rc<IngressPath>,
    head: &Parts,
    body: &mut Incoming,
    peer: &Peer,
) -> Result<Response<Full<Bytes>>, ProblemDetails> {
    let settings = &path.settings;
    if settings.retired {
        let detail = "events are taken here no longer";
        return Err(ProblemDetails::new(StatusCode::GONE, detail));
    }
    match (&head.method, &settings.allowed_origins) {
        (&Method::POST, _) => {
            take(path, head, body, peer).await?;
            Ok(accepted(settings.access_token_in_query))
        }
        (&Method::OPTIONS, Some(allowed)) => {
            let consent = consent(path, head, allowed);
            consent.instrument(path.span.clone()).await
        }
        (_, allowed) => {
            let problem = ProblemDetails::new(StatusCode::METHOD_NOT_ALLOWED, "events are posted");
            let methods = match allowed {
                Some(_) => METHODS,
                None => HeaderValue::from_static("POST"),
            };
            Err(problem.with(ALLOW, methods))
        }
    }
}

/// Now, or by calling back once the settings allow the origin.
async fn consent(
    path: &IngressPath,
    head: &Parts,
    allowed: &[String],
) -> Result<Response<Full<Bytes>>, ProblemDetails> {
    let listener = &path.settings.listener;
    let answer = handshake::answer(head, allowed, path.settings.allowed_rate);
    let later = handshake::callback(&head.headers).filter(|_| answer.is_err());
    let Some((origin, callback)) = later else {
        return answer;
    };
    let request = ConsentRequest {
        listen: listener.listen,
        path: path.settings.path.clone(),
        origin,
        callback,
        asked_at: Timestamp::now(),
    };
    consent_requests::keep(request, listener).await;
    let mut response = accepted(false);
    response.headers_mut().insert(ALLOW, METHODS);
    Ok(response)
}

async fn take(
    path: &Rc<IngressPath>,
    head: &Parts,
    body: &mut Incoming,
    peer: &Peer,
) -> Result<(), ProblemDetails> {
    let (caller, in_flight) = enter(path, head, peer)?;
    let certificate = &path.settings.listener.client_certificate_header;
    let headers = received_headers(&head.headers, certificate.as_ref());
    let mode = Decoder::mode(&HTTP, headers.iter());
    let is_batch = mode == ContentMode::Batched;
    if mode == ContentMode::Binary && matches!(caller, Caller::Signer(_)) {
        let detail = "a signature covers the body alone, and not the headers of binary mode";
        return Err(ProblemDetails::unsupported(detail));
    }
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
        biased;
        read = read => read.map_err(|_| {
            let detail = "the body did not arrive in time";
            ProblemDetails::new(StatusCode::REQUEST_TIMEOUT, detail).closing()
        })??,
        // Reading on would hold up the stop.
        () = in_flight.stopped() => return Err(ProblemDetails::not_running().closing()),
    };
    let caller = match caller {
        Caller::Signer(signature) => {
            let caller = path.signer(&signature, &body)?;
            in_flight.verified();
            check_rate(path, head, &caller)?;
            caller
        }
        known => known,
    };
    let deadline = Instant::now() + path.settings.deadline;
    // Deliveries are made where they can be handed over: one that is dropped is a fault.
    let intake = path.intake.borrow().clone();
    let intake = intake.ok_or_else(ProblemDetails::not_running)?;
    let room = timeout_at(deadline, intake.room());
    let room = room.await.map_err(|_| ProblemDetails::not_now(LATE))?;
    let room = room.map_err(|_| ProblemDetails::not_running())?;
    let decoder = &path.decoder;
    let deliveries = admit(&in_flight.window, &caller, decoder, is_batch, headers, body)?;
    in_flight.reading.set(0);
    room.send(deliveries);
    settled(&in_flight.window, deadline, head, is_batch).await
}

fn enter<'p>(
    path: &'p Rc<IngressPath>,
    head: &'p Parts,
    peer: &Peer,
) -> Result<(Caller<'p>, OpenRequest), ProblemDetails> {
    let caller = path.caller(head, peer)?;
    check_rate(path, head, &caller)?;
    let mut codings = head.headers.get_all(CONTENT_ENCODING).iter();
    if codings.any(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        let detail = "the body is compressed, which is not supported";
        return Err(ProblemDetails::unsupported(detail));
    }
    if path.intake.borrow().is_none() {
        return Err(ProblemDetails::not_running());
    }
    let in_flight = path.enter(&caller);
    let in_flight =
        in_flight.ok_or_else(|| ProblemDetails::not_now("too many requests in flight"))?;
    Ok((caller, in_flight))
}

/// Of a caller that is known.
fn check_rate(path: &IngressPath, head: &Parts, caller: &Caller<'_>) -> Result<(), ProblemDetails> {
    let Some(rate) = &path.rate else {
        return Ok(());
    };
    let allowed = path.settings.allowed_origins.as_deref();
    let origin = allowed.and_then(|allowed| allowed_origin(&head.headers, allowed));
    let checked = rate.check(caller, origin);
    checked.map_err(ProblemDetails::too_often)
}

/// Without the token and the certificate, which are nobody else's business.
fn received_headers(map: &HeaderMap, certificate: Option<&HeaderName>) -> HeaderList {
    let is_kept = |name: &HeaderName| name != AUTHORIZATION && Some(name) != certificate;
    let kept = || map.iter().filter(|(name, _)| is_kept(name));
    let bytes = kept().map(|(name, value)| name.as_str().len() + value.len());
    let mut headers = HeaderList::with_capacity(map.len(), bytes.sum());
    for (name, value) in kept() {
        headers.push(name.as_str(), Some(value.as_bytes()));
    }
    headers
}

/// Each element of a batch as if it had been posted in structured mode. Another event is looked into only where
/// a client may not send every one.
fn admit(
    window: &Rc<Window>,
    caller: &Caller<'_>,
    decoder: &Decoder,
    is_batch: bool,
    headers: HeaderList,
    body: Bytes,
) -> Result<Vec<Delivery>, ProblemDetails> {
    if is_batch || matches!(caller, Caller::Client(client) if client.is_bound()) {
        let decoded = decoder.decode_any(&HTTP, headers.iter(), Some(&body));
        match decoded.map_err(|error| ProblemDetails::undecodable(&error))? {
            Decoded::Structured(event) | Decoded::Binary(event) => may_send(caller, &event)?,
            Decoded::Batch(elements) => {
                for (number, element) in elements.iter().enumerate() {
                    let checked = may_send(caller, &element.event);
                    checked.map_err(|problem| problem.naming("element", number))?;
                }
                let elements = elements.iter().zip(0..).map(|(element, number)| {
                    let mut headers = HeaderList::default();
                    headers.push("content-type", Some(STRUCTURED_JSON.as_bytes()));
                    window.admit(received(number, headers, body.slice_ref(element.text)))
                });
                return Ok(elements.collect());
            }
        }
    }
    Ok(vec![window.admit(received(0, headers, body))])
}

fn may_send(caller: &Caller<'_>, event: &Event<'_>) -> Result<(), ProblemDetails> {
    let Caller::Client(client) = caller else {
        return Ok(());
    };
    client.may_send(event).map_err(|rule| {
        let name = &client.name;
        let detail = format!("the {rule:?} of the client {name:?} do not allow an event");
        ProblemDetails::new(StatusCode::FORBIDDEN, detail)
    })
}

fn received(element: u64, headers: HeaderList, body: Bytes) -> Received {
    Received {
        binding: &HTTP,
        headers,
        key: None,
        body: Some(body),
        timestamp_ms: None,
        position: Position::numbered("http:", element),
        defect: None,
    }
}

/// Only the verdicts of all deliveries accept the request.
async fn settled(
    window: &Window,
    deadline: Instant,
    head: &Parts,
    is_batch: bool,
) -> Result<(), ProblemDetails> {
    let unsettled = match timeout_at(deadline, window.finished()).await {
        Ok(()) => "given up by the route; repeat the request",
        Err(_) => LATE,
    };
    if let Some(refusal) = window.refusal() {
        let language = head.headers.get(ACCEPT_LANGUAGE);
        let language = Language::of(None, language.and_then(|value| value.to_str().ok()));
        Err(ProblemDetails::refused(&refusal, language, is_batch))
    } else if window.is_empty() {
        Ok(())
    } else {
        Err(ProblemDetails::not_now(unsettled))
    }
}
