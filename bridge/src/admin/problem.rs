//! Why something was not answered or not done: problem details (RFC 9457) under `/v1`, a page elsewhere.

use axum::Extension;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use serde_json::{Value, json};

use crate::config::{self, Problems};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ProblemDetails {
    pub(super) status: StatusCode,
    pub(super) detail: String,
    /// Faults in the settings, each with its place and remedy.
    errors: Vec<config::Problem>,
}

impl ProblemDetails {
    pub(crate) fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            detail: detail.into(),
            errors: Vec::new(),
        }
    }

    pub(crate) fn no_route(name: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, format!("there is no route {name:?}"))
    }

    pub(super) fn no_action() -> Self {
        Self::new(StatusCode::NOT_FOUND, "there is no such action")
    }

    pub(crate) fn not_now(detail: &str) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
    }

    pub(super) fn json(&self) -> Value {
        let mut document = json!({
            "type": "about:blank",
            "title": self.status.canonical_reason().unwrap_or_default(),
            "status": self.status.as_u16(),
            "detail": self.detail,
        });
        if !self.errors.is_empty() {
            document["errors"] = json!(self.errors);
        }
        document
    }

    /// On one line, with the first of its faults.
    pub(crate) fn summary(&self) -> String {
        let Some(first) = self.errors.first() else {
            return self.detail.clone();
        };
        let first = first.to_string().replace("\n    ", "; ");
        match self.errors.len() - 1 {
            0 => first,
            more => format!("{first} (and {more} more, see the log)"),
        }
    }

    /// For people, with its faults as `check-config` prints them.
    pub(super) fn told(&self) -> String {
        let faults = self.errors.iter().map(|fault| format!("\n{fault}"));
        self.detail.clone() + &faults.collect::<String>()
    }
}

impl From<&Problems> for ProblemDetails {
    fn from(problems: &Problems) -> Self {
        Self {
            errors: problems.iter().cloned().collect(),
            ..Self::new(
                StatusCode::UNPROCESSABLE_ENTITY,
                "nothing was done: the settings have faults",
            )
        }
    }
}

/// The guard writes its body, which depends on who asks.
impl IntoResponse for ProblemDetails {
    fn into_response(self) -> Response {
        let header = match self.status {
            StatusCode::UNAUTHORIZED => Some((
                WWW_AUTHENTICATE,
                r#"Basic realm="cenl-bridge", charset="UTF-8""#,
            )),
            StatusCode::SERVICE_UNAVAILABLE => Some((RETRY_AFTER, "5")),
            _ => None,
        };
        (self.status, header.map(|it| [it]), Extension(self)).into_response()
    }
}
