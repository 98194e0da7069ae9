//! The generator: events that become due at a steady rate, and a sender per key that offers them to
//! the source one after another, each until the source has it.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep};

use super::feed::{Feed, Offer, Offered};
use super::ledger::Ledger;
use super::options::Options;

/// What a generator makes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rate {
    pub(crate) events_per_second: u32,
    pub(crate) keys: usize,
    pub(crate) padding: usize,
    pub(crate) seed: u64,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct Load {
    stop: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

const TICK: Duration = Duration::from_millis(10);
/// One malformed event after so many.
const MALFORMED_EVERY: u32 = 400;

impl Load {
    pub(crate) fn start(feed: &Feed, ledger: &Arc<Ledger>, rate: Rate) -> Self {
        let (stop, stopped) = watch::channel(false);
        let bells: Arc<Vec<Notify>> = Arc::new((0..rate.keys).map(|_| Notify::new()).collect());
        let mut tasks = JoinSet::new();
        for key in 0..rate.keys {
            let sender = Sender {
                feed: feed.clone(),
                ledger: Arc::clone(ledger),
                key,
                padding: rate.padding,
            };
            tasks.spawn(sender.run(Arc::clone(&bells), stopped.clone()));
        }
        tasks.spawn(make_due(Arc::clone(ledger), rate, bells, stopped.clone()));
        tasks.spawn(send_malformed(
            feed.clone(),
            Arc::clone(ledger),
            Duration::from_secs(1) * MALFORMED_EVERY / rate.events_per_second.max(1),
            stopped,
        ));
        Self { stop, tasks }
    }

    /// Has the source take `each` events of every key at once.
    pub(crate) async fn fill(feed: &Feed, ledger: &Arc<Ledger>, options: &Options, each: u32) {
        let (_stop, stopped) = watch::channel(true);
        let bells = Arc::default();
        let mut tasks = JoinSet::new();
        for key in 0..options.keys {
            (0..each).for_each(|_| ledger.add_due(key));
            let sender = Sender {
                feed: feed.clone(),
                ledger: Arc::clone(ledger),
                key,
                padding: options.padding,
            };
            tasks.spawn(sender.run(Arc::clone(&bells), stopped.clone()));
        }
        while let Some(done) = tasks.join_next().await {
            done.unwrap();
        }
    }

    /// Makes nothing more; whoever still offers an event goes on until the source has it.
    pub(crate) fn stop(&self) {
        self.stop.send_replace(true);
    }

    /// Waits until the source has everything.
    pub(crate) async fn finish(mut self) {
        self.stop();
        while let Some(done) = self.tasks.join_next().await {
            done.unwrap();
        }
    }
}

async fn make_due(
    ledger: Arc<Ledger>,
    rate: Rate,
    bells: Arc<Vec<Notify>>,
    mut stopped: watch::Receiver<bool>,
) {
    let mut random = fastrand::Rng::with_seed(rate.seed);
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut credit = Duration::ZERO;
    let price = Duration::from_secs(1) / rate.events_per_second.max(1);
    loop {
        tokio::select! {
            _ = tick.tick() => credit += TICK,
            _ = stopped.wait_for(|stopped| *stopped) => break,
        }
        while credit >= price {
            credit -= price;
            let key = random.usize(0..rate.keys);
            ledger.add_due(key);
            bells[key].notify_one();
        }
    }
    bells.iter().for_each(Notify::notify_one);
}

/// Sends the events of one key.
struct Sender {
    feed: Feed,
    ledger: Arc<Ledger>,
    key: usize,
    padding: usize,
}

impl Sender {
    async fn run(self, bells: Arc<Vec<Notify>>, mut stopped: watch::Receiver<bool>) {
        loop {
            while let Some(event) = self.ledger.next(self.key) {
                let offer = Offer::of(&event, self.padding);
                match self.feed.offer(&offer).await {
                    Offered::Taken(place) => self.ledger.taken(self.key, place),
                    Offered::Unknown(wait) => {
                        self.ledger.offered_in_vain(self.key, event.number);
                        sleep(wait).await;
                    }
                    Offered::Refused(answer) => {
                        self.ledger.book().refused.push(answer);
                        sleep(Duration::from_secs(1)).await;
                    }
                }
            }
            if *stopped.borrow() {
                return;
            }
            tokio::select! {
                () = bells[self.key].notified() => {}
                _ = stopped.wait_for(|stopped| *stopped) => {}
            }
        }
    }
}

/// Sends malformed events now and then: a log keeps them, an ingress refuses them.
async fn send_malformed(
    feed: Feed,
    ledger: Arc<Ledger>,
    every: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    for number in 0.. {
        let offer = Offer::malformed(number);
        loop {
            match feed.offer(&offer).await {
                Offered::Taken(_) if matches!(feed, Feed::Http { .. }) => {
                    let answer = format!("{} was taken", offer.id);
                    ledger.book().refused.push(answer);
                    break;
                }
                Offered::Taken(_) | Offered::Refused(_) => break,
                Offered::Unknown(wait) => sleep(wait).await,
            }
        }
        ledger.book().malformed += 1;
        tokio::select! {
            () = sleep(every) => {}
            _ = stopped.wait_for(|stopped| *stopped) => return,
        }
    }
}
