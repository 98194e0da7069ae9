//! The reader of one durable consumer: from requests to the window, and from verdicts to
//! acknowledgements.
//!
//! Reading goes in stretches. Each [begins](begin) with a look at the consumer: what the server
//! takes for delivered and what this process holds must add up, or messages were lost on their way
//! to it, or to a process before it. A route that keeps order has those sent again before anything
//! new. It counts the deliveries of the consumer, too: a number that is left out went somewhere
//! else, and ends the stretch.

mod ask;
mod begin;
mod leave;
mod take;
mod unreadable;

use std::future::Future;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use async_nats::datetime::DateTime;
use async_nats::jetstream::consumer::Config;
use async_nats::{Subject, Subscriber};
use futures_util::future::LocalBoxFuture;
use futures_util::{FutureExt, StreamExt};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep};

use super::super::link::Link;
use super::api::Api;
use super::epoch::{End, Epoch};
use super::ledger::Ledger;
use super::owed::Owed;
use crate::delivery::share::Share;
use crate::delivery::window::Capacity;
use crate::delivery::{Delivery, Window};
use crate::transport::throttle::Throttle;
use crate::transport::{Intake, RouteEnded, SourceError, SourceStatus, Stop};

/// How often verdicts are looked at where nothing tells of them, and the rest is looked after.
const TICK: Duration = Duration::from_millis(5);
/// Pause before the consumer is looked at again.
const AGAIN: Duration = Duration::from_secs(1);
/// Longest wait for the server to take what it was told.
const TOLD: Duration = Duration::from_secs(5);
/// Stretches that may begin at once before a pause.
const MOST_ANEW: u32 = 10;
/// A stretch longer than that was no trouble.
const SOUND: Duration = Duration::from_secs(60);

/// See the module.
pub(super) struct Reader {
    pub(super) link: Link,
    pub(super) api: Api,
    pub(super) stream: Arc<str>,
    pub(super) durable: String,
    pub(super) wanted: Config,
    pub(super) keeps_order: bool,
    pub(super) capacity: Capacity,
    pub(super) share: Rc<Share>,
    pub(super) status: SourceStatus,
    pub(super) intake: Intake,
    pub(super) window: Rc<Window>,
    pub(super) ledger: Ledger<Subject>,
    pub(super) owed: Owed,
    pub(super) progress: Progress,
}

/// What the reader remembers from one stretch to the next.
#[derive(Default)]
pub(super) struct Progress {
    throttle: Throttle,
    /// Messages come here; kept between stretches so that the last ones can be given back.
    subscription: Option<Subscriber>,
    /// What names this process while only it may read.
    pin: Option<String>,
    /// The last delivery of the consumer that is known of.
    last_delivery: u64,
    /// The highest sequence that was let in.
    highest: u64,
    /// Verdicts are not told for a moment: so that the server and this process count the same, and
    /// until it is sure that the consumer is still the one to tell.
    is_counting: bool,
    /// When the consumer was made: another one of its name counts from the beginning.
    made: Option<DateTime>,
    /// How often the connection had been lost when the consumer was last looked at.
    disconnections: u64,
    /// Looks in a row that did not find the consumer.
    missed: u32,
    /// Connections in a row that broke soon, and that broke with the same message the first open one.
    suspicion: u32,
    fruitless: u32,
    floor: u64,
}

impl Reader {
    /// Reads until `stop`, or until only an operator can help.
    pub(super) async fn run(mut self, mut stop: Stop) -> Result<(), SourceError> {
        let status = self.status.clone();
        status.open(&self.window);
        let (deadline, result) = {
            // The drain begins before reading is broken off: what is let go then is not missed.
            let stopped = async {
                let deadline = stop.requested().await;
                status.drain(deadline);
                deadline
            };
            tokio::select! {
                biased;
                deadline = stopped => (deadline, Ok(())),
                error = self.read() => (Instant::now(), Err(error)),
            }
        };
        status.drain(deadline);
        self.finish(deadline).await;
        result
    }

    async fn read(&mut self) -> SourceError {
        let mut anew = 0;
        loop {
            match self.stretch().await {
                End::Fatal(error) => return error,
                End::Anew if anew < MOST_ANEW => {
                    anew += 1;
                    continue;
                }
                End::Anew => {}
                End::Again(cause) => {
                    if let Some(held_back) = self.progress.throttle.lets_through(&cause) {
                        let stream = &*self.stream;
                        tracing::warn!(
                            stream,
                            cause,
                            held_back,
                            "reading a stream is interrupted, trying again"
                        );
                    }
                }
            }
            anew = 0;
            self.tended(sleep(AGAIN)).await;
        }
    }

    async fn stretch(&mut self) -> End {
        let mut epoch = match self.begin().await {
            Ok(epoch) => epoch,
            Err(end) => return end,
        };
        let end = match self.line_up(&mut epoch).await {
            Ok(first) => self.follow(&mut epoch, first).await,
            Err(end) => end,
        };
        if self.link.signals.disconnections() != epoch.disconnections {
            let progress = &mut self.progress;
            // What is sent again so rarely breaks a connection as rarely.
            let sound = SOUND.max(3 * epoch.info.config.ack_wait);
            let is_sound = epoch.began.elapsed() > sound;
            progress.suspicion = if is_sound { 1 } else { progress.suspicion + 1 };
            let floor = epoch.info.ack_floor.stream_sequence;
            let got_on = std::mem::replace(&mut progress.floor, floor) != floor;
            progress.fruitless = if got_on { 0 } else { progress.fruitless + 1 };
        }
        end
    }

    /// Takes what comes until the stretch ends.
    async fn follow(&mut self, epoch: &mut Epoch, first: Vec<Delivery>) -> End {
        let mut ticks = interval(TICK);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut handing = self.handing(first);
        let end = loop {
            self.ask(epoch);
            let Some(subscription) = &mut self.progress.subscription else {
                break End::Anew;
            };
            let message = tokio::select! {
                biased;
                _ = ticks.tick() => {
                    self.tend();
                    match self.looks_sound(epoch) {
                        Some(end) => break end,
                        None => continue,
                    }
                }
                () = self.window.changes() => {
                    // The server sends on what it is told of; that waits for no tick.
                    self.tend();
                    continue;
                }
                handed = handed(&mut handing), if handing.is_some() => {
                    handing = None;
                    if handed.is_err() {
                        // The route is gone, and with it everybody who could ask us to stop.
                        std::future::pending::<()>().await;
                    }
                    continue;
                }
                message = subscription.next(), if handing.is_none() => message,
            };
            let Some(message) = message else {
                break End::Again("the subscription ended".to_owned());
            };
            let mut taken = Vec::new();
            let end = self.take_all(epoch, message, &mut taken);
            handing = self.handing(taken);
            if let Some(end) = end {
                break end;
            }
        };
        self.hand_on(handing).await;
        end
    }

    /// Hands on what was let in: it has its place in the window, and nobody sends it again.
    pub(super) async fn hand_on(&mut self, handing: Option<Handing>) {
        if let Some(handing) = handing {
            // A route that is gone takes nothing, and asks for nothing more.
            self.tended(handing).await.ok();
        }
    }

    pub(super) fn handing(&self, taken: Vec<Delivery>) -> Option<Handing> {
        let intake = self.intake.clone();
        (!taken.is_empty()).then(|| async move { intake.push(taken).await }.boxed_local())
    }

    /// Why the stretch cannot go on, if so.
    fn looks_sound(&self, epoch: &Epoch) -> Option<End> {
        if self.link.signals.disconnections() != epoch.disconnections {
            return Some(End::Anew);
        }
        if epoch.is_silent() {
            return Some(End::Again("the server was silent for too long".to_owned()));
        }
        // The one that reads may be gone.
        if epoch.stands_by && epoch.began.elapsed() > epoch.pin_timeout / 5 {
            return Some(End::Anew);
        }
        // What is missing may have been deleted meanwhile.
        let waits = epoch.line.is_some() && epoch.had_message.elapsed() > epoch.patience;
        waits.then_some(End::Anew)
    }

    /// Tells the server what is to be told; to be done often, whatever else is waited for.
    fn tend(&mut self) {
        if !self.progress.is_counting {
            self.owed.settle(&mut self.ledger, &self.window);
        }
        self.owed.tell(&self.ledger);
    }

    /// Waits for something, and tends meanwhile.
    async fn tended<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                biased;
                done = &mut work => return done,
                () = sleep(TICK) => self.tend(),
            }
        }
    }

    /// Waits until nothing is owed. Bound it with a deadline.
    async fn told(&mut self) {
        while !self.owed.is_told() {
            self.tend();
            sleep(TICK).await;
        }
    }
}

type Handing = LocalBoxFuture<'static, Result<(), RouteEnded>>;

async fn handed(handing: &mut Option<Handing>) -> Result<(), RouteEnded> {
    match handing {
        Some(handing) => handing.await,
        None => std::future::pending().await,
    }
}
