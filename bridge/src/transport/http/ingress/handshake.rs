//! Pure: the validation handshake (webhook specification 1.0.2, section 4). Consent is two headers, never a
//! status.

use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::Full;

use super::answer::ProblemDetails;
use super::rate::Rate;
use crate::config::Fault;

pub(super) const REQUEST_ORIGIN: HeaderName = HeaderName::from_static("webhook-request-origin");
const ALLOWED_ORIGIN: HeaderName = HeaderName::from_static("webhook-allowed-origin");
const ALLOWED_RATE: HeaderName = HeaderName::from_static("webhook-allowed-rate");

pub(super) const ANY: &str = "*";

/// Of a path that does without the handshake, and of one that takes part in it.
pub(super) fn methods(allowed: Option<&[String]>) -> &'static str {
    match allowed {
        Some(_) => "POST, OPTIONS",
        None => "POST",
    }
}

/// A request without an origin asks for no consent, and is told the methods.
pub(super) fn answer(
    head: &Parts,
    allowed: &[String],
    Rate(rate): Rate,
) -> Result<Response<Full<bytes::Bytes>>, ProblemDetails> {
    let mut response = Response::new(Full::default());
    let headers = response.headers_mut();
    let methods = HeaderValue::from_static(methods(Some(allowed)));
    headers.insert(http::header::ALLOW, methods.clone());
    if head.headers.contains_key(REQUEST_ORIGIN) {
        let origin = allowed_origin(&head.headers, allowed).ok_or_else(|| {
            let detail = "the origin is not one that may ask for this path";
            let problem = ProblemDetails::new(StatusCode::FORBIDDEN, detail);
            problem.with(http::header::ALLOW, methods)
        })?;
        headers.insert(ALLOWED_ORIGIN, origin.clone());
        let rate = rate.map_or(HeaderValue::from_static("*"), |rate| rate.get().into());
        headers.insert(ALLOWED_RATE, rate);
    }
    Ok(response)
}

/// The one origin of the request, where the path allows it.
pub(super) fn allowed_origin<'h>(
    headers: &'h HeaderMap,
    allowed: &[String],
) -> Option<&'h HeaderValue> {
    let mut origins = headers.get_all(REQUEST_ORIGIN).iter();
    let (Some(origin), None) = (origins.next(), origins.next()) else {
        return None;
    };
    let name = origin.to_str().ok().filter(|name| is_name(name))?;
    let is_it = |one: &String| one == ANY || one.eq_ignore_ascii_case(name);
    allowed.iter().any(is_it).then_some(origin)
}

pub(super) fn are_origins(origins: &[String]) -> Result<(), Fault> {
    let is_sound = match origins {
        [] => false,
        [any] if any == ANY => true,
        names => names.iter().all(|name| is_name(name)),
    };
    let what = "is neither \"*\" alone nor a list of DNS names without scheme, port and path";
    let remedy = "write the names of senders as they stand in WebHook-Request-Origin";
    Fault::unless(is_sound, what, remedy)
}

fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-.".contains(&byte);
    (1..=253).contains(&name.len()) && name.bytes().all(is_letter)
}
