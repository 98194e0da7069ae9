//! What came of settings, of a start and of a stop.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::transport::contract::OpenError;

#[derive(Debug, thiserror::Error)]
#[error("route {route} cannot start: {cause}")]
pub struct StartError {
    pub route: Arc<str>,
    pub cause: OpenError,
}

/// What new settings came to, in routes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TakenOver {
    pub started: usize,
    pub restarted: usize,
    pub stopped: usize,
    /// Those that were to stop and have not left included.
    pub untouched: usize,
    /// Why routes did not start, or have not left.
    pub not_started: Vec<String>,
}

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum StopError {
    #[error("routes ended by themselves: {}", .0.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", "))]
    Ended(BTreeSet<Arc<str>>),
    #[error("exchanges that the deadline cut off: {0}")]
    CutOff(usize),
}
