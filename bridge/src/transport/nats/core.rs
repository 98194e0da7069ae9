//! The source over a core subject: at most once. What is published while nobody listens, or faster
//! than it is taken, is lost; how much of the latter is counted.

mod waiting;

use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, Message, Subscriber};
use futures_util::FutureExt;
use futures_util::future::LocalBoxFuture;
use tokio::task::unconstrained;
use tokio::time::{Instant, MissedTickBehavior, interval, sleep, timeout_at};

use self::waiting::Waiting;
use super::connection::Cluster;
use super::link::{self, Link};
use super::message;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Position, Window};
use crate::transport::throttle::Throttle;
use crate::transport::{Intake, Source, SourceError, SourceStatus, Stop};

/// Most messages handed over in one go.
const MOST: usize = 128;
/// How often losses and the connection are looked at.
const TICK: Duration = Duration::from_millis(100);
/// Pause before a subscription is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// Reads a core subject.
#[derive(Debug)]
pub(super) struct CoreSource {
    pub(super) cluster: Cluster,
    pub(super) subject: String,
    pub(super) queue: Option<String>,
    pub(super) window: Capacity,
    pub(super) share: Rc<Share>,
    pub(super) status: SourceStatus,
}

impl Source for CoreSource {
    fn run(
        self: Box<Self>,
        intake: Intake,
        mut stop: Stop,
    ) -> LocalBoxFuture<'static, Result<(), SourceError>> {
        async move {
            let window = Window::partition(self.window, &self.share);
            self.status.open(&window);
            let stopped = async {
                let deadline = stop.requested().await;
                self.status.drain(deadline);
                deadline
            };
            let deadline = tokio::select! {
                biased;
                deadline = stopped => deadline,
                () = self.listen(&window, &intake) => Instant::now(),
            };
            self.status.set_joined(false);
            if timeout_at(deadline, window.finished()).await.is_err() {
                let left = window.len();
                tracing::warn!(left, "drain ended at its deadline, what is left is lost");
            }
            window.abandon();
            self.status.close(&window);
            Ok(())
        }
        .boxed_local()
    }
}

impl CoreSource {
    /// Takes what comes, for ever.
    async fn listen(&self, window: &Rc<Window>, intake: &Intake) {
        let options = self
            .cluster
            .options()
            .subscription_capacity(self.window.events);
        let link = link::connect(&self.cluster, options).await;
        loop {
            match self.subscribe(&link.client).await {
                Ok(subscriber) => {
                    self.take(&link, subscriber, window, intake).await;
                }
                Err(cause) => tracing::warn!(cause, "the subject cannot be subscribed to yet"),
            }
            sleep(AGAIN).await;
        }
    }

    async fn subscribe(&self, client: &Client) -> Result<Subscriber, String> {
        let subject = self.subject.clone();
        let subscribed = match &self.queue {
            Some(queue) => client.queue_subscribe(subject, queue.clone()).await,
            None => client.subscribe(subject).await,
        };
        let subscriber = subscribed.map_err(|error| error.to_string())?;
        // The server has it when it has answered.
        client.flush().await.map_err(|error| error.to_string())?;
        Ok(subscriber)
    }

    async fn take(
        &self,
        link: &Link,
        subscriber: Subscriber,
        window: &Rc<Window>,
        intake: &Intake,
    ) {
        let place: Arc<str> = self.subject.as_str().into();
        let mut losses = Losses::new(&link.client, &self.status);
        let mut waiting = Waiting::new(subscriber, self.window, &self.share);
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            self.status
                .set_joined(link.client.connection_state() == State::Connected);
            let next = tokio::select! {
                // First, so that a reader who always finds something looks at what it misses, too.
                biased;
                _ = ticks.tick() => {
                    let next = unconstrained(waiting.next(window)).now_or_never();
                    // The client keeps nothing more when nothing comes.
                    let kept = next.as_ref().map_or(0, |_| self.window.events + 1);
                    losses.count((waiting.len() + kept) as u64);
                    next
                }
                next = waiting.next(window) => Some(next),
            };
            let mut next = match next {
                Some(Some(message)) => Some(message),
                Some(None) => return,
                None => continue,
            };
            let mut taken = Vec::new();
            while let Some(message) = next {
                losses.taken += 1;
                taken.push(window.admit(self.received(message, &place)));
                next = match taken.len() < MOST && window.has_room() {
                    true => waiting.next(window).now_or_never().flatten(),
                    false => None,
                };
            }
            let pushed = tokio::select! {
                pushed = intake.push(taken) => pushed,
                () = waiting.gather() => Ok(()),
            };
            if pushed.is_err() {
                // The route is gone, and with it everybody who could ask us to stop.
                std::future::pending::<()>().await;
            }
        }
    }

    fn received(&self, message: Message, subject: &Arc<str>) -> crate::delivery::Received {
        message::received(
            message,
            Position::NatsSubject {
                subject: Arc::clone(subject),
            },
        )
    }
}

/// Counts what the client dropped because its buffer was full. It counts what the connection
/// brought, and nothing but this subscription uses the connection.
struct Losses {
    client: Client,
    before: u64,
    taken: u64,
    lost: u64,
    status: SourceStatus,
    throttle: Throttle,
}

/// What still waits when nobody listens any more is lost, too.
impl Drop for Losses {
    fn drop(&mut self) {
        self.count(0);
    }
}

impl Losses {
    fn new(client: &Client, status: &SourceStatus) -> Self {
        Self {
            before: client.statistics().in_messages.load(Ordering::Relaxed),
            client: client.clone(),
            taken: 0,
            lost: 0,
            status: status.clone(),
            throttle: Throttle::default(),
        }
    }

    /// With so many at most in the buffer, what is neither there nor taken is lost.
    fn count(&mut self, buffered_at_most: u64) {
        let came = self.client.statistics().in_messages.load(Ordering::Relaxed) - self.before;
        let lost = came
            .saturating_sub(self.taken)
            .saturating_sub(buffered_at_most);
        if lost <= self.lost {
            return;
        }
        self.lost = lost;
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
