//! Who may see the page and `/v1`, and who may act: no page of another site by way of the operator's browser.

use std::net::IpAddr;
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use base64_simd::STANDARD;
use http::header::{
    ACCEPT_LANGUAGE, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST,
    HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::uri::Authority;
use http::{HeaderMap, Method, StatusCode};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::language::Language;
use super::problem::Problem;
use super::{Admin, page};
use crate::config::{self, read_secret};
use crate::transport::http::secret::Secret;

/// For a file on a mount that hangs.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(5);
const VERSION: &str = "1.0.0";
pub(super) const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; \
                      connect-src 'self'; img-src 'self' data:; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";
/// With none at all, browsers hide the origin of forms too.
const REFERRER: &str = "same-origin";

pub(super) async fn guard(
    State(admin): State<Admin>,
    mut request: Request,
    next: Next,
) -> Response {
    let is_api = request.uri().path().starts_with("/v1");
    let language = language(request.uri().query(), request.headers());
    let may = match request.extensions_mut().remove::<Problem>() {
        None => may(&admin.settings, request.method(), request.headers()).await,
        Some(unread) => Err(unread),
    };
    let mut response = match may {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let status = response.status();
    let own = match status {
        StatusCode::NOT_FOUND => Some("there is nothing here"),
        StatusCode::METHOD_NOT_ALLOWED => Some("not with this method"),
        _ if status.is_client_error() => Some("the request cannot be read"),
        _ => None,
    };
    let problem = response.extensions_mut().remove::<Problem>();
    let problem = problem.or_else(|| Some(Problem::new(status, own?)));
    if let Some(problem) = problem {
        let body = match is_api {
            true => json_response("application/problem+json", problem.json().to_string()),
            false => {
                Html(page::problem(status.as_u16(), &problem.detail, language)).into_response()
            }
        };
        let (head, body) = body.into_parts();
        *response.body_mut() = body;
        response.headers_mut().extend(head.headers);
    }
    let headers = response.headers_mut();
    if is_api {
        let name = HeaderName::from_static("api-version");
        headers.insert(name, HeaderValue::from_static(VERSION));
    }
    for (name, value) in [
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, REFERRER),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

pub(super) fn json_response(format: &'static str, body: String) -> Response {
    ([(CONTENT_TYPE, format)], body).into_response()
}

pub(super) fn language(query: Option<&str>, headers: &HeaderMap) -> Language {
    let accepted = headers.get(ACCEPT_LANGUAGE);
    Language::of(query, accepted.and_then(|value| value.to_str().ok()))
}

async fn may(
    settings: &config::Admin,
    method: &Method,
    headers: &HeaderMap,
) -> Result<(), Problem> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host.and_then(|host| host.parse::<Authority>().ok());
    let host = host.filter(|host| is_known(settings, host.host()));
    let Some(host) = host else {
        let detail =
            "the Host is no address, nor localhost, nor one of [admin] hosts: add the name there";
        return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, detail));
    };
    if let Some(origin) = headers.get(ORIGIN) {
        let origin = origin.to_str().ok().and_then(|it| it.split_once("://"));
        if origin.is_none_or(|(_, origin)| !origin.eq_ignore_ascii_case(host.as_str())) {
            let detail = "the request comes from a page of another site";
            return Err(Problem::new(StatusCode::FORBIDDEN, detail));
        }
    }
    match *method {
        Method::GET | Method::HEAD => Ok(()),
        _ => may_act(settings, headers).await,
    }
}

/// A name that anybody can lead here, by a DNS server of his own, is none of ours.
fn is_known(settings: &config::Admin, host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let mut hosts = settings.hosts.iter().map(String::as_str);
    address.parse::<IpAddr>().is_ok()
        || host.eq_ignore_ascii_case("localhost")
        || hosts.any(|known| known.eq_ignore_ascii_case(host))
}

async fn may_act(settings: &config::Admin, headers: &HeaderMap) -> Result<(), Problem> {
    let Some(place) = settings.token.clone() else {
        let detail = "nothing can be changed here: set [admin] token, and restart";
        return Err(Problem::new(StatusCode::FORBIDDEN, detail));
    };
    // Each time, so that a token that is renewed counts at once.
    let read = timeout(TOKEN_TIMEOUT, spawn_blocking(move || read_secret(&place)));
    let Ok(Ok(Ok(token))) = read.await else {
        let detail = "the token of [admin] cannot be read: see its file";
        return Err(Problem::new(StatusCode::INTERNAL_SERVER_ERROR, detail));
    };
    let presented = headers.get(AUTHORIZATION);
    let presented = presented.and_then(|value| presented_token(value.as_bytes()));
    match presented.is_some_and(|presented| Secret::new(&token).matches(&presented)) {
        true if !token.trim().is_empty() => Ok(()),
        _ => {
            let detail = "bring the token of [admin], as a bearer token or as a password";
            Err(Problem::new(StatusCode::UNAUTHORIZED, detail))
        }
    }
}

/// A bearer token, or the password of any user, which browsers ask for.
fn presented_token(value: &[u8]) -> Option<Vec<u8>> {
    let space = value.iter().position(|byte| *byte == b' ')?;
    let (scheme, rest) = (&value[..space], value[space..].trim_ascii());
    if scheme.eq_ignore_ascii_case(b"bearer") {
        return Some(rest.to_vec());
    }
    let is_basic = scheme.eq_ignore_ascii_case(b"basic");
    let pair = STANDARD.decode_to_vec(rest).ok().filter(|_| is_basic)?;
    let colon = pair.iter().position(|byte| *byte == b':')?;
    Some(pair[colon + 1..].to_vec())
}
