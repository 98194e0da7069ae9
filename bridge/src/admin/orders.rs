//! What the admin port asks of the process that carries the routes.

use tokio::sync::oneshot;

use super::overview::{DeadLetterLine, Handled, TakenOver};
use super::problem::Problem;
use crate::runtime::RouteCommand;

pub(crate) type Reply<T> = oneshot::Sender<Result<T, Problem>>;

#[derive(Debug)]
pub(crate) enum Order {
    /// Answered once the route has it.
    Route(String, RouteCommand, Reply<()>),
    /// The newest.
    DeadLetters(String, Reply<Vec<DeadLetterLine>>),
    Handle(Choice, Reply<Handled>),
    /// As `check-config` prints them.
    Settings(Reply<String>),
    Reload(Reply<TakenOver>),
}

/// Dead letters that somebody has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) route: String,
    pub(crate) positions: Vec<String>,
    /// Else they are sent again.
    pub(crate) dismiss: bool,
}
