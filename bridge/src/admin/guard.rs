//! Who may see the page and `/v1`, and who may act: no page of another site by way of the operator's browser.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64_simd::STANDARD;
use http::header::{
    ACCEPT_LANGUAGE, AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST,
    HeaderName, HeaderValue, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::uri::Authority;
use http::{HeaderMap, Method, StatusCode, Uri};
use subtle::ConstantTimeEq;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use super::Admin;
use super::page::{ProblemPage, rendered};
use super::problem::ProblemDetails;
use super::router::OPENAPI_PATH;
use crate::config::{self, read_secret};
use crate::server::Language;

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
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let is_api = uri.path().starts_with("/v1");
    let accepted = request.headers().get(ACCEPT_LANGUAGE);
    let accepted = accepted.and_then(|value| value.to_str().ok());
    let language = Language::of(uri.query(), accepted);
    request.extensions_mut().insert(language);
    let peer = request.extensions().get::<IpAddr>().copied();
    let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
    let is_guess = request.headers().contains_key(AUTHORIZATION);
    let may = match request.extensions_mut().remove::<ProblemDetails>() {
        None => may(&admin.settings, peer, &method, &uri, request.headers()).await,
        Some(unread) => Err(unread),
    };
    let is_let_in = may.is_ok();
    let mut response = match may {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let status = response.status();
    let (path, code) = (uri.path(), status.as_u16());
    if is_let_in && !only_reads(&method) {
        tracing::info!(%peer, path, status = code, "an operator gave an order");
    }
    // Browsers ask without a token first.
    if !is_let_in
        && (is_guess || status != StatusCode::UNAUTHORIZED)
        && let Some(held_back) = admin.turned_away.lets_through(status.as_str())
    {
        tracing::warn!(%peer, path, status = code, held_back, "the admin port turned somebody away");
    }
    let own = match status {
        StatusCode::NOT_FOUND => Some("there is nothing here"),
        StatusCode::METHOD_NOT_ALLOWED => Some("not with this method"),
        _ if status.is_client_error() => Some("the request cannot be read"),
        _ => None,
    };
    let problem = response.extensions_mut().remove::<ProblemDetails>();
    let problem = problem.or_else(|| Some(ProblemDetails::new(status, own?)));
    if let Some(problem) = problem {
        let body = match is_api {
            true => json_response("application/problem+json", problem.json().to_string()),
            false => rendered(&ProblemPage {
                language,
                status: code,
                detail: &problem.detail,
            })
            .into_response(),
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

fn only_reads(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

async fn may(
    settings: &config::AdminSettings,
    peer: IpAddr,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<(), ProblemDetails> {
    // RFC 9112, section 3.2, and RFC 6750, section 3.1
    let is_twice = |name: &HeaderName| headers.get_all(name).iter().nth(1).is_some();
    if is_twice(&HOST) || is_twice(&AUTHORIZATION) {
        let detail = "the header Host or Authorization is there twice";
        return Err(ProblemDetails::new(StatusCode::BAD_REQUEST, detail));
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host.and_then(|host| host.parse::<Authority>().ok());
    let host = host.filter(|host| is_known(settings, host.host()));
    let Some(host) = host else {
        let detail =
            "the Host is no address, nor localhost, nor one of [admin] hosts: add the name there";
        return Err(ProblemDetails::new(StatusCode::MISDIRECTED_REQUEST, detail));
    };
    if uri.path() == OPENAPI_PATH {
        return Ok(());
    }
    if let Some(origin) = headers.get(ORIGIN) {
        let origin = origin.to_str().ok().and_then(|it| it.split_once("://"));
        if origin.is_none_or(|(_, origin)| !origin.eq_ignore_ascii_case(host.as_str())) {
            let detail = "the request comes from a page of another site";
            return Err(ProblemDetails::new(StatusCode::FORBIDDEN, detail));
        }
    }
    match only_reads(method) && peer.to_canonical().is_loopback() {
        true => Ok(()),
        false => brings_token(settings, headers).await,
    }
}

/// A name that anybody can lead here, by a DNS server of his own, is none of ours.
fn is_known(settings: &config::AdminSettings, host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    let mut hosts = settings.hosts.iter().map(String::as_str);
    address.parse::<IpAddr>().is_ok()
        || host.eq_ignore_ascii_case("localhost")
        || hosts.any(|known| known.eq_ignore_ascii_case(host))
}

async fn brings_token(
    settings: &config::AdminSettings,
    headers: &HeaderMap,
) -> Result<(), ProblemDetails> {
    let Some(place) = settings.token.clone() else {
        let detail = "nothing can be changed here, nor read from another machine: set [admin] token, and restart";
        return Err(ProblemDetails::new(StatusCode::FORBIDDEN, detail));
    };
    let presented = headers.get(AUTHORIZATION);
    let presented = presented.and_then(|value| presented_token(value.as_bytes()));
    let refused = || {
        let detail = "bring the token of [admin], as a bearer token or as a password";
        ProblemDetails::new(StatusCode::UNAUTHORIZED, detail)
    };
    let presented = presented.ok_or_else(refused)?;
    // Each time, so that a token that is renewed counts at once.
    let read = timeout(TOKEN_TIMEOUT, spawn_blocking(move || read_secret(&place)));
    let Ok(Ok(Ok(token))) = read.await else {
        let detail = "the token of [admin] cannot be read: see its file";
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        return Err(ProblemDetails::new(status, detail));
    };
    let token = token.trim().as_bytes();
    match bool::from(token.ct_eq(&presented)) {
        true if !token.is_empty() => Ok(()),
        _ => Err(refused()),
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
