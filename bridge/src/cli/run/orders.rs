//! What operators order and ask at the admin port.

use std::sync::Arc;

use http::StatusCode;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::Bridge;
use crate::admin::orders::{OperatorOrder, Reply};
use crate::admin::problem::ProblemDetails;
use crate::config::Document;
use crate::tools::{ToolError, letters, replay};

impl Bridge {
    /// What takes a while goes on elsewhere; but a reload is waited for, as one by a signal is.
    pub(super) async fn carry_out(&mut self, order: OperatorOrder) {
        match order {
            // It has waited here for a reload.
            abandoned if abandoned.is_abandoned() => {}
            OperatorOrder::Route(route, command) => self.supervisor.command(&route, command),
            OperatorOrder::DeadLetters(route, reply) => {
                self.work(&self.readers, reply, move |it| letters::newest(it, &route))
            }
            OperatorOrder::Handle(choice, reply) => {
                self.work(&self.replayers, reply, move |it| replay::handle(it, choice))
            }
            OperatorOrder::Settings(reply) => drop(reply.send(Ok(self.effective.clone()))),
            OperatorOrder::Reload(reply) => drop(reply.send(self.reload().await)),
        }
    }

    /// Beside the loop, since clients may hang; only a few at a time.
    fn work<T: Send + 'static>(
        &self,
        places: &Arc<Semaphore>,
        reply: Reply<T>,
        work: impl FnOnce(&Document) -> Result<T, ToolError> + Send + 'static,
    ) {
        let Ok(permit) = Arc::clone(places).try_acquire_owned() else {
            let detail = "others read or replay dead letters just now: try again";
            return drop(reply.send(Err(ProblemDetails::not_now(detail))));
        };
        let document = Arc::clone(&self.document);
        spawn_blocking(move || {
            let done = work(&document).map_err(ProblemDetails::from);
            reply.send(done).ok();
            drop(permit);
        });
    }

    /// Unless the last counting still goes on.
    pub(super) fn count_dead_letters(&self) {
        let Ok(permit) = Arc::clone(&self.counter).try_acquire_owned() else {
            return;
        };
        let (document, telemetry) = (Arc::clone(&self.document), self.telemetry.clone());
        let routes = telemetry.each(|name, _| name.to_owned());
        spawn_blocking(move || {
            for route in routes {
                let open = letters::count_open(&document, &route);
                if let Err(error) = &open {
                    let cause = error.to_string();
                    tracing::warn!(route, cause, "open dead letters cannot be counted");
                }
                telemetry.count_open_dead_letters(&route, open.ok().flatten());
            }
            drop(permit);
        });
    }
}

impl From<ToolError> for ProblemDetails {
    fn from(error: ToolError) -> Self {
        match error {
            ToolError::Usage(what) | ToolError::Taken(what) => {
                Self::new(StatusCode::CONFLICT, what)
            }
            ToolError::Settings(problems) => Self::from(&problems),
            ToolError::Failed(what) => Self::new(StatusCode::BAD_GATEWAY, what),
        }
    }
}
