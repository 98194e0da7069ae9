//! The load: many small events in an order per key, to be carried through whatever happens meanwhile, as when
//! the operator's commands end the intermediary in the middle of it and start it again.

use std::cell::Cell;
use std::time::Duration;

use anyhow::{Context, bail};
use cloudevents_nl_codec::{Event, JsonText};
use cloudevents_nl_conformance::Text;
use futures_util::future::join_all;
use jiff::Timestamp;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep, sleep_until};

use super::ends::Near;
use super::message::{Message, Writer};
use super::plain::Plain;
use super::specimens::{SOURCE, TYPE};
use super::story::{Incident, Sent};
use super::{Options, SETTLE};
use crate::command::shell;
use crate::shown::text;

/// What the name of each run begins with. Events of an earlier one may still be on their way.
pub(crate) const RUN: &str = "cenl-";
/// The same for an id of digits alone.
const DIGITS: &str = "9220932";
pub(crate) const LOAD: &str = "load";

pub(crate) fn run() -> String {
    format!("{RUN}{}", Timestamp::now().as_microsecond())
}

/// What an id of digits alone begins with, in place of the name of a run.
pub(crate) fn digits(run: &str) -> String {
    run.replacen(RUN, DIGITS, 1)
}

pub(crate) fn numbered(
    run: &str,
    writer: &Writer,
    key: usize,
    number: usize,
    bytes: usize,
) -> Message {
    let data = format!(r#"{{"nummer":{number},"vulling":"{}"}}"#, "x".repeat(bytes));
    let lane = format!("k{key}");
    let event = Event::new(format!("{run}/load/{key}/{number}"), SOURCE, TYPE);
    let event = event.and_then(|event| event.with_extension("partitionkey", lane.clone()));
    // Who sends it again may set another.
    let event = event.and_then(|event| event.with_time("2026-11-21T10:00:00Z"));
    let event = event.expect("an event");
    let event = event.with_json(JsonText::new(data).expect("JSON"));
    let mut message = writer.write(&[(LOAD, event)]).remove(0);
    // The order is that of the key.
    if message.capture.key.is_some() {
        message.capture.key = Some(lane.into_bytes());
    }
    message
}

/// Key and number of an id of this run.
pub(crate) fn place_of(run: &str, id: &str) -> Option<(usize, usize)> {
    let rest = id.strip_prefix(run)?.strip_prefix("/load/")?;
    let (key, number) = rest.split_once('/')?;
    Some((key.parse().ok()?, number.parse().ok()?))
}

/// Puts in the events of each key one after the other, at a rate or as fast as it goes. `is_over` is asked
/// with the index of an event in all and when it is due; `put` gets its key, its number and when it is due.
pub(crate) async fn lanes<T>(
    keys: usize,
    rate: Option<f64>,
    is_over: impl Fn(usize, Instant) -> bool,
    put: impl AsyncFn(usize, usize, Instant) -> T,
) -> Vec<T> {
    let (begin, keys) = (Instant::now(), keys.max(1));
    let lane = async |key: usize| {
        let mut all = Vec::new();
        for index in (key..).step_by(keys) {
            let due = rate.map_or_else(Instant::now, |rate| {
                begin + Duration::from_secs_f64(index as f64 / rate)
            });
            if is_over(index, due) {
                break;
            }
            // A timer waits for the next millisecond, even where it is over.
            if rate.is_some() {
                sleep_until(due).await;
            }
            all.push(put(key, index / keys, due).await);
        }
        all
    };
    let lanes = join_all((0..keys).map(lane)).await;
    lanes.into_iter().flatten().collect()
}

/// Of data, beside a number, in each event of the load.
const BYTES: usize = 100;

const KILLED: Text = text("killed", "afgebroken");
const RESTARTED: Text = text("restarted", "herstart");

/// How long nothing is there between the two.
const PAUSE: Duration = Duration::from_millis(500);

impl Options {
    /// Puts in a message, and tells what became of each event in it.
    pub(super) async fn put(&self, near: &Near, message: Message) -> Vec<Sent> {
        let until = Instant::now() + self.wait.max(SETTLE);
        let (outcome, offers, exchanges) = near.put(&message.capture, until).await;
        let mut events = Plain::of(&message.capture);
        if events.is_empty() {
            events.push(Plain::nothing(message.capture.protocol));
        }
        let sent = message.names.iter().zip(events).map(|(name, event)| Sent {
            name,
            event,
            message: message.capture.clone(),
            outcome: outcome.clone(),
            offers,
            exchanges: exchanges.clone(),
            line: 0,
        });
        sent.collect()
    }

    /// Puts in the load, each key in its order. `half` is told once half of it is in.
    pub(super) async fn load(
        &self,
        near: &Near,
        run: &str,
        writer: &Writer,
        half: &Notify,
    ) -> Vec<Sent> {
        let (events, done) = (self.events, Cell::new(0));
        let put = async |key: usize, number: usize, _: Instant| {
            let message = numbered(run, writer, key, number, BYTES);
            let sent = self.put(near, message).await;
            done.set(done.get() + 1);
            if done.get() == events / 2 {
                half.notify_one();
            }
            sent
        };
        let is_over = |index: usize, _: Instant| index >= events;
        let sent = lanes(self.keys, self.rate, is_over, put).await;
        // For those who wait where there is no half.
        half.notify_one();
        sent.into_iter().flatten().collect()
    }

    /// Runs them once half of the load is in.
    pub(super) async fn run_commands(&self, half: &Notify) -> anyhow::Result<Vec<Incident>> {
        let mut incidents = Vec::new();
        half.notified().await;
        if let Some(command) = &self.kill {
            incidents.push(Incident::now(KILLED));
            let status = shell(command).status().await;
            let status = status.with_context(|| command.clone())?;
            if !status.success() {
                bail!("{command}: {status}");
            }
            eprintln!("{}", KILLED.told(self.lang));
            sleep(PAUSE).await;
        }
        if let Some(command) = &self.restart {
            // It may be the intermediary itself, which runs on.
            let child = shell(command).spawn();
            let mut child = child.with_context(|| command.clone())?;
            sleep(PAUSE).await;
            if let Some(status) = child.try_wait()?.filter(|status| !status.success()) {
                bail!("{command}: {status}");
            }
            incidents.push(Incident::now(RESTARTED));
            eprintln!("{}", RESTARTED.told(self.lang));
        }
        Ok(incidents)
    }
}
