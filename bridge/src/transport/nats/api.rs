//! Questions to the JetStream API of a server.

use async_nats::jetstream::context::{Context, RequestErrorKind};
use async_nats::jetstream::response::Response;
use async_nats::jetstream::{self, ErrorCode};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum ApiError {
    #[error("{0}")]
    Refused(jetstream::Error),
    /// Another try may help.
    #[error("{0}")]
    NoAnswer(String),
}

impl ApiError {
    /// Whether the server gave this reason.
    pub(super) fn is(&self, code: ErrorCode) -> bool {
        matches!(self, Self::Refused(error) if error.error_code() == code)
    }
}

/// Asks `question`, such as `STREAM.INFO.ZAKEN`.
pub(super) async fn ask<T: DeserializeOwned>(
    context: &Context,
    question: String,
    asked: &Value,
) -> Result<T, ApiError> {
    match context.request(question, asked).await {
        Ok(Response::Ok(answer)) => Ok(answer),
        Ok(Response::Err { error }) => Err(ApiError::Refused(error)),
        Err(error) => Err(ApiError::NoAnswer(match error.kind() {
            RequestErrorKind::NoResponders => "jetstream does not answer".to_owned(),
            _ => error.to_string(),
        })),
    }
}
