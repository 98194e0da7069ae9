//! Puts messages in, and does what is to be done meanwhile.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::Instant;

use futures_util::future::join_all;
use tokio::sync::Notify;
use tokio::time::sleep;

use super::ends::Near;
use super::load::numbered;
use super::message::{Message, Writer};
use super::plain::Plain;
use super::story::{Outcome, Sent};

/// A way in, and how long a message is offered again where nobody knows what became of it.
pub(crate) struct Feed<'f> {
    pub(crate) near: &'f Near,
    pub(crate) patience: Duration,
}

/// How much goes in, and how fast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    pub(crate) events: usize,
    pub(crate) keys: usize,
    /// In a second; none is as fast as it goes.
    pub(crate) rate: Option<f64>,
    pub(crate) bytes: usize,
}

impl Feed<'_> {
    /// Offers a message until it is known what became of it.
    pub(crate) async fn put(&self, message: Message) -> Vec<Sent> {
        let since = Instant::now();
        let mut offers = 0;
        let offered = loop {
            let offered = self.near.offer(&message.capture).await;
            offers += 1;
            let is_known = !matches!(offered.outcome, Outcome::Unknown(_));
            if is_known || since.elapsed() + offered.again_after >= self.patience {
                break offered;
            }
            sleep(offered.again_after).await;
        };
        let mut events = Plain::of(&message.capture);
        if events.is_empty() {
            events.push(Plain::nothing(message.capture.protocol));
        }
        let sent = message.names.iter().zip(events).map(|(name, event)| Sent {
            name,
            event,
            message: message.capture.clone(),
            outcome: offered.outcome.clone(),
            offers,
            exchange: offered.exchange.clone(),
            is_odd: message.is_odd,
            line: 0,
        });
        sent.collect()
    }

    /// Puts in one message after the other.
    pub(crate) async fn put_all(&self, messages: Vec<Message>) -> Vec<Sent> {
        let mut sent = Vec::new();
        for message in messages {
            sent.extend(self.put(message).await);
        }
        sent
    }

    /// Puts in the load, each key in its order. `half` is told once half of it is in.
    pub(crate) async fn load(
        &self,
        run: &str,
        writer: &Writer,
        load: Load,
        half: &Notify,
    ) -> Vec<Sent> {
        let (begin, done) = (Instant::now(), AtomicUsize::new(0));
        let keys = load.keys.max(1);
        let lane = async |key: usize| {
            let mut sent = Vec::new();
            for index in (key..load.events).step_by(keys) {
                if let Some(rate) = load.rate {
                    let due = begin + Duration::from_secs_f64(index as f64 / rate);
                    tokio::time::sleep_until(due).await;
                }
                let message = numbered(run, writer, key, index / keys, load.bytes);
                if let Some(message) = message {
                    sent.extend(self.put(message).await);
                }
                if done.fetch_add(1, Ordering::Relaxed) + 1 == load.events / 2 {
                    half.notify_one();
                }
            }
            sent
        };
        let lanes = join_all((0..keys).map(lane)).await;
        // For those who wait where there is no half.
        half.notify_one();
        lanes.into_iter().flatten().collect()
    }
}
