//! What operators order and ask at the admin port.

use std::sync::Arc;
use std::thread;

use http::StatusCode;

use super::Bridge;
use crate::admin::orders::{Order, Reply};
use crate::admin::problem::Problem;
use crate::config::Document;
use crate::runtime::CommandError;
use crate::tools::{ToolError, letters, replay};

impl Bridge {
    /// What takes a while goes on elsewhere; but a reload is waited for, as one by a signal is.
    pub(super) async fn carry_out(&mut self, order: Order) {
        match order {
            Order::Route(route, command, reply) => {
                let told = self.supervisor.command(&route, command);
                reply
                    .send(told.map_err(|error| problem(error, &route)))
                    .ok();
            }
            Order::DeadLetters(route, reply) => {
                self.work(reply, move |document| letters::newest(&document, &route));
            }
            Order::Handle(choice, reply) => {
                self.work(reply, move |document| replay::handle(&document, choice));
            }
            Order::Settings(reply) => drop(reply.send(Ok(self.effective.clone()))),
            Order::Reload(reply) => drop(reply.send(self.reload().await)),
        }
    }

    /// In a thread of its own, since clients may hang; only a few at a time.
    fn work<T: Send + 'static>(
        &self,
        reply: Reply<T>,
        work: impl FnOnce(Arc<Document>) -> Result<T, ToolError> + Send + 'static,
    ) {
        let Ok(permit) = Arc::clone(&self.work).try_acquire_owned() else {
            let detail = "others read or replay dead letters just now: try again";
            return drop(reply.send(Err(Problem::not_now(detail))));
        };
        let document = Arc::clone(&self.document);
        let work = move || {
            reply.send(work(document).map_err(Problem::from)).ok();
            drop(permit);
        };
        // Without a thread the one who asks hears that nothing came.
        thread::Builder::new()
            .name("tool".to_owned())
            .spawn(work)
            .ok();
    }
}

fn problem(error: CommandError, route: &str) -> Problem {
    match error {
        CommandError::NoRoute => Problem::no_route(route),
        CommandError::NotRunning => Problem::new(
            StatusCode::CONFLICT,
            format!("route {route} does not run: see the log, then reload"),
        ),
        CommandError::Busy => Problem::not_now("the route has not taken earlier orders: try again"),
    }
}

impl From<ToolError> for Problem {
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
