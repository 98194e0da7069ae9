//! Answers: 202, or a problem as RFC 9457 describes it, which never repeats the payload.

use bytes::Bytes;
use cloudevents_nl_codec::{DecodeError, DecodeErrorKind, Place};
use http::header::{ALLOW, CONNECTION, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde::Serialize;

use crate::delivery::Refusal;
use crate::outcome::Outcome;

/// 202, and neither 200 nor 204: the destination holds every event durably, but what its consumers
/// make of them is unknown, for which the webhook specification names 202.
pub(super) fn accepted() -> Response<Full<Bytes>> {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// Why a request was not accepted.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Problem {
    status: StatusCode,
    detail: String,
    /// The located error of the codec, for machines.
    location: Location,
    header: Option<(HeaderName, HeaderValue)>,
    /// Whether the body is left unread, so that the connection cannot be used again.
    closes: bool,
}

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    element: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    byte: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    attribute: Option<Box<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<Box<str>>,
}

#[derive(Serialize)]
struct Document<'a> {
    r#type: &'static str,
    title: &'a str,
    status: u16,
    detail: &'a str,
    #[serde(flatten)]
    location: &'a Location,
}

impl Problem {
    fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
            location: Location::default(),
            header: None,
            closes: false,
        }
    }

    pub(super) fn unknown_path() -> Self {
        Self::new(StatusCode::NOT_FOUND, "no route takes events on this path")
    }

    pub(super) fn not_a_post() -> Self {
        let allow = (ALLOW, HeaderValue::from_static("POST"));
        Self {
            header: Some(allow),
            ..Self::new(StatusCode::METHOD_NOT_ALLOWED, "events are posted")
        }
    }

    pub(super) fn no_token() -> Self {
        let challenge = (WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        Self {
            header: Some(challenge),
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
        let soon = (RETRY_AFTER, HeaderValue::from_static("1"));
        Self {
            header: Some(soon),
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
        let mut location = Location {
            element: error.element,
            ..Location::default()
        };
        match &error.place {
            Place::Byte(byte) => location.byte = Some(*byte),
            Place::Attribute(name) => location.attribute = Some(name.clone()),
            Place::Header(name) => location.header = Some(name.clone()),
            _ => {}
        }
        Self {
            location,
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
            Refusal::ByDestination(Outcome::Refused(crate::outcome::TOO_LARGE))
            | Refusal::ByDestination(Outcome::Status { code: 413, .. }) => Self::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "larger than the destination takes",
            ),
            Refusal::ByDestination(_) => {
                Self::new(StatusCode::BAD_GATEWAY, "the destination refused an event")
            }
        }
    }

    pub(super) fn into_response(self) -> Response<Full<Bytes>> {
        let document = Document {
            r#type: "about:blank",
            title: self.status.canonical_reason().unwrap_or_default(),
            status: self.status.as_u16(),
            detail: &self.detail,
            location: &self.location,
        };
        let body = serde_json::to_vec(&document).expect("strings and numbers are JSON");
        let mut response = Response::new(Full::from(body));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/problem+json"),
        );
        headers.extend(self.header);
        if self.closes {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}
