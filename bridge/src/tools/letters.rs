//! The newest dead letters of a route, for the operations page.

use super::ToolError;
use crate::admin::overview::DeadLetterLine;
use crate::config::Document;

pub(crate) fn newest(_: &Document, _: &str) -> Result<Vec<DeadLetterLine>, ToolError> {
    Err(ToolError::Failed("not yet".to_owned()))
}
