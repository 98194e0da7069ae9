//! Pure: the validation handshake (webhook specification 1.0.2, section 4). Consent is two headers, never a
//! status.

use http::header::ALLOW;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::Full;

use super::answer::ProblemDetails;
use super::only;
use super::rate::Rate;
use crate::config::Fault;
use crate::config::url::checked_url;
use crate::transport::http::{ALLOWED_ORIGIN, ALLOWED_RATE, REQUEST_CALLBACK, REQUEST_ORIGIN};

pub(super) const ANY: &str = "*";

/// Of a URL to be called back under.
const CALLBACK_BYTES_MAX: usize = 2048;

/// Of a path that takes part in it.
pub(super) const METHODS: HeaderValue = HeaderValue::from_static("POST, OPTIONS");

/// A request without an origin asks for no consent, and is told the methods.
pub(super) fn answer(
    head: &Parts,
    allowed: &[String],
    rate: Rate,
) -> Result<Response<Full<bytes::Bytes>>, ProblemDetails> {
    let mut response = Response::new(Full::default());
    let headers = response.headers_mut();
    headers.insert(ALLOW, METHODS);
    if let Some(origin) = head.headers.get(REQUEST_ORIGIN) {
        allowed_origin(&head.headers, allowed).ok_or_else(|| {
            let detail =
                "the origin may not ask for this path, and names no https URL to call it back";
            ProblemDetails::new(StatusCode::FORBIDDEN, detail).with(ALLOW, METHODS)
        })?;
        headers.insert(ALLOWED_ORIGIN, origin.clone());
        headers.insert(ALLOWED_RATE, rate.into());
    }
    Ok(response)
}

/// The one origin of the request in lower case, and where it takes consent later.
pub(super) fn callback(headers: &HeaderMap) -> Option<(String, String)> {
    let url = only(headers.get_all(REQUEST_CALLBACK).iter())?.to_str();
    let url = url.ok().filter(|url| url.len() <= CALLBACK_BYTES_MAX)?;
    // Plain HTTP on this machine, which is called only where the settings name it.
    checked_url(url, None).ok()?;
    Some((origin(headers)?.to_ascii_lowercase(), url.to_owned()))
}

/// The one origin of the request, where the path allows it.
pub(super) fn allowed_origin<'h>(headers: &'h HeaderMap, allowed: &[String]) -> Option<&'h str> {
    origin(headers).filter(|name| allows(allowed, name))
}

fn origin(headers: &HeaderMap) -> Option<&str> {
    let origin = only(headers.get_all(REQUEST_ORIGIN).iter())?.to_str();
    origin.ok().filter(|name| is_name(name))
}

pub(super) fn allows(allowed: &[String], name: &str) -> bool {
    let is_it = |one: &String| one == ANY || one.eq_ignore_ascii_case(name);
    allowed.iter().any(is_it)
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
