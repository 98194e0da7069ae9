//! Answers: 202, or problem details (RFC 9457), which never repeat the payload.

use std::borrow::Cow;
use std::time::Duration;

use bytes::Bytes;
use cloudevents_nl_codec::{DecodeError, DecodeErrorKind, Place};
use http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_LANGUAGE, CONTENT_TYPE, HeaderName, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde_json::{Value, json};

use crate::delivery::{Refusal, Violation, Violations};
use crate::outcome::{Outcome, RefusedReason};
use crate::server::Language;

/// 202, and neither 200 nor 204: what consumers make of the event is unknown. `is_private` keeps the answer
/// out of shared caches where URLs may hold a token (RFC 6750, section 2.3).
pub(super) fn accepted(is_private: bool) -> Response<Full<Bytes>> {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::ACCEPTED;
    if is_private {
        let private = HeaderValue::from_static("private");
        response.headers_mut().insert(CACHE_CONTROL, private);
    }
    response
}

/// That an answer tells.
const FINDINGS_MAX: usize = 100;

#[derive(Debug)]
pub(super) struct ProblemDetails {
    pub(super) status: StatusCode,
    /// For the log: the detail in English.
    pub(super) reason: Cow<'static, str>,
    document: Value,
    headers: Box<HeaderMap>,
}

impl ProblemDetails {
    pub(super) fn new(status: StatusCode, detail: impl Into<Cow<'static, str>>) -> Self {
        let detail = detail.into();
        let json = HeaderValue::from_static("application/problem+json");
        Self {
            status,
            document: json!({
                "type": "about:blank",
                "title": status.canonical_reason().unwrap_or_default(),
                "status": status.as_u16(),
                "detail": detail,
            }),
            reason: detail,
            headers: HeaderMap::from_iter([(CONTENT_TYPE, json)]).into(),
        }
    }

    pub(super) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// A member of the document, for machines.
    pub(super) fn naming(mut self, member: &str, value: impl Into<Value>) -> Self {
        self.document[member] = value.into();
        self
    }

    /// The rest of the body is not read, so the connection cannot be used again.
    pub(super) fn closing(self) -> Self {
        self.with(CONNECTION, HeaderValue::from_static("close"))
    }

    pub(super) fn too_large(limit: usize) -> Self {
        let detail = format!("more than {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, detail).closing()
    }

    pub(super) fn unsupported(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
    }

    /// Nothing is wrong with the request: the sender repeats it.
    pub(super) fn not_now(detail: &'static str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail).with(RETRY_AFTER, 1.into())
    }

    pub(super) fn too_often(wait: Duration) -> Self {
        let detail = "more requests than the allowed rate";
        // Whole seconds, none of them too early.
        let seconds = wait.as_secs() + 1;
        Self::new(StatusCode::TOO_MANY_REQUESTS, detail).with(RETRY_AFTER, seconds.into())
    }

    pub(super) fn unauthorized(detail: &'static str) -> Self {
        let challenge = HeaderValue::from_static("Bearer");
        Self::new(StatusCode::UNAUTHORIZED, detail).with(WWW_AUTHENTICATE, challenge)
    }

    pub(super) fn unknown_token() -> Self {
        let challenge = HeaderValue::from_static(r#"Bearer error="invalid_token""#);
        Self::unauthorized("the bearer token is not known").with(WWW_AUTHENTICATE, challenge)
    }

    pub(super) fn not_running() -> Self {
        Self::not_now("the route is not running")
    }

    /// The place is also in members of its own, for machines.
    pub(super) fn undecodable(error: &DecodeError) -> Self {
        let status = match error.kind {
            DecodeErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            // "Format not understood" in the words of the webhook specification: nothing in
            // content type or headers says that this is an event.
            DecodeErrorKind::UnsupportedFormat | DecodeErrorKind::NotACloudEvent => {
                StatusCode::UNSUPPORTED_MEDIA_TYPE
            }
            _ => StatusCode::BAD_REQUEST,
        };
        let mut problem = Self::new(status, error.to_string());
        if let Some(element) = error.element {
            problem = problem.naming("element", element);
        }
        match &error.place {
            Place::Byte(byte) => problem.naming("byte", *byte),
            Place::Attribute(name) => problem.naming("attribute", name.to_string()),
            Place::Header(name) => problem.naming("header", name.to_string()),
            _ => problem,
        }
    }

    pub(super) fn refused(refusal: &Refusal, language: Language, is_batch: bool) -> Self {
        match refusal {
            Refusal::Violating(violations) => Self::violating(violations, language, is_batch),
            Refusal::Undecodable(error) => Self::undecodable(error),
            // The event is valid, but its data does not fit the mode that the route writes.
            Refusal::Unwritable(error) => Self::unsupported(error.to_string()),
            Refusal::ByDestination(Outcome::Refused(RefusedReason::TooLarge))
            | Refusal::ByDestination(Outcome::Status { code: 413, .. }) => Self::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "larger than the destination takes",
            ),
            Refusal::ByDestination(outcome) => {
                let detail = format!("the destination refused an event: {}", outcome.status());
                Self::new(StatusCode::BAD_GATEWAY, detail)
            }
        }
    }

    /// Findings in the language of the sender; the element is that of a batch.
    fn violating(violations: &Violations, language: Language, is_batch: bool) -> Self {
        let (profile, rules) = (violations.profile.name(), violations.listed());
        let detail = format!("the event violates {profile}: {rules}");
        let mut problem = Self::new(StatusCode::UNPROCESSABLE_ENTITY, detail);
        let finding = |finding: &Violation| {
            json!({
                "rule": finding.rule,
                "level": finding.level,
                "title": language.say(finding.title.nl, finding.title.en),
                "clause": finding.clause,
                "place": finding.place,
            })
        };
        let document = &mut problem.document;
        if language == Language::Dutch {
            document["detail"] =
                format!("de gebeurtenis is in strijd met {profile}: {rules}").into();
        }
        if let Some(element) = violations.position.number.filter(|_| is_batch) {
            document["element"] = element.into();
        }
        document["profile"] = profile.into();
        let findings = violations.findings.iter().take(FINDINGS_MAX);
        document["findings"] = findings.map(finding).collect();
        let tag = HeaderValue::from_static(language.code());
        problem.with(CONTENT_LANGUAGE, tag)
    }

    pub(super) fn into_response(self) -> Response<Full<Bytes>> {
        let mut response = Response::new(Full::from(self.document.to_string()));
        *response.status_mut() = self.status;
        *response.headers_mut() = *self.headers;
        response
    }
}
