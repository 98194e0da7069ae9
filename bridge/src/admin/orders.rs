//! What the admin port asks of the process that carries the routes.

use tokio::sync::oneshot;

use super::overview::{DeadLetterLine, Handled, TakenOver, WaitingEvent};
use super::problem::Problem;

pub(crate) type Reply<T> = oneshot::Sender<Result<T, Problem>>;

#[derive(Debug)]
pub(crate) enum Order {
    Pause(String, Reply<()>),
    Resume(String, Reply<()>),
    Retry(String, Reply<()>),
    /// Those with this id, or the first ones.
    WaitingEvents(String, Option<String>, Reply<Vec<WaitingEvent>>),
    /// The newest.
    DeadLetters(String, Reply<Vec<DeadLetterLine>>),
    Replay(Choice, Reply<Handled>),
    Dismiss(Choice, Reply<Handled>),
    /// As `check-config` prints them.
    Settings(Reply<String>),
    Reload(Reply<TakenOver>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) route: String,
    /// Of dead letters.
    pub(crate) positions: Vec<String>,
}
