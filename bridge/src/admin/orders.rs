//! What the admin port asks of the process that carries the routes.

use tokio::sync::oneshot;

use super::overview::{DeadLetterLine, Handled, TakenOver};
use super::problem::ProblemDetails;
use crate::runtime::RouteCommand;

pub(crate) type Reply<T> = oneshot::Sender<Result<T, ProblemDetails>>;

#[derive(Debug)]
pub(crate) enum OperatorOrder {
    Route(String, RouteCommand),
    /// The newest.
    DeadLetters(String, Reply<Vec<DeadLetterLine>>),
    Handle(Choice, Reply<Handled>),
    /// As `check-config` prints them.
    Settings(Reply<String>),
    Reload(Reply<TakenOver>),
}

impl OperatorOrder {
    pub(super) fn only_reads(&self) -> bool {
        matches!(
            self,
            Self::Route(_, RouteCommand::Waiting(..)) | Self::DeadLetters(..) | Self::Settings(_)
        )
    }

    /// Whoever gave it has heard by now that it was not carried out.
    pub(crate) fn is_abandoned(&self) -> bool {
        match self {
            Self::Route(_, command) => command.is_abandoned(),
            Self::DeadLetters(_, reply) => reply.is_closed(),
            Self::Handle(_, reply) => reply.is_closed(),
            Self::Settings(reply) => reply.is_closed(),
            Self::Reload(reply) => reply.is_closed(),
        }
    }
}

/// Dead letters that somebody has chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) route: String,
    pub(crate) positions: Vec<String>,
    /// Else they are sent again.
    pub(crate) dismiss: bool,
}
