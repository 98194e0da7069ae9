//! Answers: 202, or a problem as RFC 9457 describes it, which never repeats the payload.

use std::borrow::Cow;

use bytes::Bytes;
use cloudevents_nl_codec::{DecodeError, DecodeErrorKind, Place};
use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde::Serialize;

use crate::delivery::Refusal;
use crate::outcome::{Outcome, RefusedReason};

/// 202, and neither 200 nor 204: the destination holds every event durably, but what its consumers
/// make of them is unknown, for which the webhook specification names 202. Where URLs may hold a
/// token, `is_private` keeps the answer out of shared caches (RFC 6750, section 2.3).
pub(super) fn accepted(is_private: bool) -> Response<Full<Bytes>> {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::ACCEPTED;
    if is_private {
        let private = HeaderValue::from_static("private");
        response.headers_mut().insert(CACHE_CONTROL, private);
    }
    response
}

/// Why a request was not accepted.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    detail: Cow<'static, str>,
    /// Where the codec found it.
    place: Place,
    element: Option<usize>,
    header: Option<(&'static str, &'static str)>,
    /// Whether the body is left unread, so that the connection cannot be used again.
    closes: bool,
}

/// The document on the wire; the members after `detail` say the place to machines.
#[derive(Serialize)]
struct Document<'a> {
    r#type: &'static str,
    title: &'a str,
    status: u16,
    detail: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attribute: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<&'a str>,
}

impl Problem {
    fn new(status: StatusCode, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            status,
            detail: detail.into(),
            place: Place::Message,
            element: None,
            header: None,
            closes: false,
        }
    }

    pub(super) fn unknown_path() -> Self {
        Self::new(StatusCode::NOT_FOUND, "no route takes events on this path")
    }

    pub(super) fn not_a_post() -> Self {
        Self {
            header: Some(("allow", "POST")),
            ..Self::new(StatusCode::METHOD_NOT_ALLOWED, "events are posted")
        }
    }

    pub(super) fn no_token() -> Self {
        Self {
            header: Some(("www-authenticate", "Bearer")),
            ..Self::new(StatusCode::UNAUTHORIZED, "a bearer token is needed")
        }
    }

    pub(super) fn content_coding() -> Self {
        let detail = "the body is compressed, which is not supported";
        Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
    }

    pub(super) fn too_large(limit: usize) -> Self {
        let detail = format!("more than {limit} bytes");
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, detail).closing()
    }

    pub(super) fn too_slow() -> Self {
        Self::new(
            StatusCode::REQUEST_TIMEOUT,
            "the body did not arrive in time",
        )
        .closing()
    }

    pub(super) fn broken_body() -> Self {
        Self::new(StatusCode::BAD_REQUEST, "the body is cut off or malformed").closing()
    }

    /// Nothing is wrong with the request; the sender repeats all of it.
    pub(super) fn not_now(detail: &'static str) -> Self {
        Self {
            header: Some(("retry-after", "1")),
            ..Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
        }
    }

    pub(super) fn closing(self) -> Self {
        Self {
            closes: true,
            ..self
        }
    }

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
        Self {
            place: error.place.clone(),
            element: error.element,
            ..Self::new(status, error.to_string())
        }
    }

    pub(super) fn refused(refusal: &Refusal) -> Self {
        match refusal {
            Refusal::Undecodable(error) => Self::undecodable(error),
            // The event is valid, but its kind of data does not fit the mode that the route writes:
            // an unsupported charset, data that its content type cannot hold.
            Refusal::Unwritable(error) => {
                Self::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, error.to_string())
            }
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

    pub(super) fn into_response(self) -> Response<Full<Bytes>> {
        let document = Document {
            r#type: "about:blank",
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            detail: &self.detail,
            element: self.element,
            byte: match self.place {
                Place::Byte(byte) => Some(byte),
                _ => None,
            },
            attribute: match &self.place {
                Place::Attribute(name) => Some(name),
                _ => None,
            },
            header: match &self.place {
                Place::Header(name) => Some(name),
                _ => None,
            },
        };
        let body = serde_json::to_vec(&document).expect("strings and numbers are JSON");
        let mut response = Response::new(Full::from(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        if let Some((name, value)) = self.header {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if self.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
