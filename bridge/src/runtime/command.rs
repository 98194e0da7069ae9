//! What a running route is told and asked while it runs.

use tokio::sync::oneshot;

use crate::route::waiting::WaitingEvent;
use crate::route::{Now, Route};

/// Most events that are told at once.
const WAITING_MAX: usize = 50;

#[derive(Debug)]
pub enum RouteCommand {
    Pause,
    Resume,
    Retry,
    /// Those with this id, or the first ones.
    Waiting(Option<String>, oneshot::Sender<Vec<WaitingEvent>>),
}

/// Why a command reaches no route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// Not even one that has ended.
    NoRoute,
    NotRunning,
    /// It has not taken the ones before.
    Busy,
}

impl RouteCommand {
    pub(super) fn carry_out(self, route: &mut Route, now: Now) {
        match self {
            Self::Pause => route.pause(now),
            Self::Resume => route.resume(),
            Self::Retry => route.retry_now(now),
            Self::Waiting(id, answer) => {
                let waiting = route.waiting(id.as_deref(), WAITING_MAX, now);
                // Whoever asked may have left.
                answer.send(waiting).ok();
            }
        }
    }
}
