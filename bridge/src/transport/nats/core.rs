//! The source over a core subject: at most once. What is published while nobody listens, or finds no
//! room in the window, is lost; how much of the latter is counted.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_nats::{Client, Message, Subscriber};
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt};
use tokio::task::unconstrained;
use tokio::time::timeout_at;

use super::connection::NatsCluster;
use super::link::pause_after_end;
use super::message;
use crate::delivery::Window;
use crate::logging::Throttle;
use crate::transport::contract::SourceOpening;
use crate::transport::{Intake, Source, SourceError, SourceStatus, Stop};

#[derive(Debug)]
pub(super) struct CoreSource {
    pub(super) cluster: NatsCluster,
    pub(super) subject: String,
    pub(super) queue: Option<String>,
    pub(super) opening: SourceOpening,
}

impl Source for CoreSource {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        async move {
            let SourceOpening { share, status, .. } = &self.opening;
            let window = Window::partition(self.opening.window, share);
            status.open(&window);
            let throttle = Throttle::default();
            let listening = async {
                loop {
                    drop(self.listen(&window, &intake).await);
                    status.set_joined(false);
                    pause_after_end(&throttle, "what comes meanwhile is lost").await;
                }
            };
            let deadline = tokio::select! {
                biased;
                deadline = stop.requested() => deadline,
                () = listening => return Ok(()),
            };
            window.drain_all(deadline);
            status.set_joined(false);
            drop(timeout_at(deadline, window.finished()).await);
            let left = window.len();
            if left > 0 {
                status.set_lost(status.lost() + left as u64);
                tracing::warn!(
                    left,
                    "what was taken and not delivered by the end of the drain is lost"
                );
            }
            window.abandon();
            status.close(&window);
            Ok(())
        }
        .boxed_local()
    }
}

impl CoreSource {
    /// Ends only when the client does: a line break in a header value makes it panic.
    async fn listen(&self, window: &Rc<Window>, intake: &Intake) -> Result<(), async_nats::Error> {
        let link = self.cluster.connect_source(&self.opening).await;
        let (client, subject) = (&link.client, self.subject.clone());
        let mut subscriber = match &self.queue {
            Some(queue) => client.queue_subscribe(subject, queue.clone()).await?,
            None => client.subscribe(subject).await?,
        };
        // The subscription is on its way to the server once this returns.
        client.flush().await?;
        let place: Arc<str> = format!("nats:{}", self.subject).into();
        let admit = |message| window.admit(message::received_from(&place, message));
        let status = &self.opening.status;
        let mut losses = Losses {
            client,
            status,
            throttle: Throttle::default(),
            before: status.lost(),
            taken: 0,
        };
        loop {
            let changed = link.state.changed.notified();
            status.set_joined(link.is_up() && !link.state.refused().subscription);
            let mut next = tokio::select! {
                message = subscriber.next() => match message {
                    None => return Ok(()),
                    message => message,
                },
                () = changed => waiting(&mut subscriber),
            };
            let mut taken = Vec::new();
            while let Some(message) = next {
                taken.extend(window.has_room().then(|| admit(message)));
                next = waiting(&mut subscriber);
            }
            losses.count(taken.len() as u64);
            if !taken.is_empty() && intake.push(taken).await.is_err() {
                // The route is gone, and with it everybody who could ask us to stop.
                std::future::pending::<()>().await;
            }
        }
    }
}

/// A message that waits in the client; tokio's task budget is smaller than what may wait.
fn waiting(subscriber: &mut Subscriber) -> Option<Message> {
    let next = unconstrained(subscriber.next());
    next.now_or_never().flatten()
}

/// Counts what the connection brought and the window had no room for. Nothing else uses it.
struct Losses<'a> {
    client: &'a Client,
    status: &'a SourceStatus,
    throttle: Throttle,
    before: u64,
    taken: u64,
}

/// What still waits in the client at the end is lost, too.
impl Drop for Losses<'_> {
    fn drop(&mut self) {
        self.count(0);
    }
}

impl Losses<'_> {
    /// Called while no message waits in the client.
    fn count(&mut self, taken: u64) {
        self.taken += taken;
        let came = self.client.statistics().in_messages.load(Ordering::Relaxed);
        let lost = self.before + came.saturating_sub(self.taken);
        if lost <= self.status.lost() {
            return;
        }
        self.status.set_lost(lost);
        if let Some(held_back) = self.throttle.lets_through("lost") {
            tracing::error!(
                lost,
                held_back,
                "messages of a core subject came faster than they were taken and are lost"
            );
        }
    }
}
