//! What a running route is told and asked while it runs.

use tokio::sync::oneshot;

use crate::route::waiting::WaitingEvents;
use crate::route::{Now, Route};

/// It is answered when it is carried out. One that is not drops its reply.
#[derive(Debug)]
pub enum RouteCommand {
    /// By a method of the route.
    Act(fn(&mut Route, Now), oneshot::Sender<()>),
    /// Those with this id, or the first ones.
    Waiting(Option<String>, oneshot::Sender<WaitingEvents>),
}

impl RouteCommand {
    /// Whoever gave it has left, or waits no longer.
    pub fn is_abandoned(&self) -> bool {
        match self {
            Self::Act(_, reply) => reply.is_closed(),
            Self::Waiting(_, reply) => reply.is_closed(),
        }
    }

    pub(super) fn carry_out(self, route: &mut Route, now: Now) {
        match self {
            abandoned if abandoned.is_abandoned() => {}
            Self::Act(act, reply) => {
                act(route, now);
                reply.send(()).ok();
            }
            Self::Waiting(id, reply) => drop(reply.send(route.waiting(id.as_deref(), now))),
        }
    }
}
