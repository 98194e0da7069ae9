//! One measurement: events go in for a while, and when each came out is written down.

use std::cell::RefCell;
use std::collections::HashSet;
use std::time::Duration;

use cloudevents_nl_conformance::{Mode, Protocol};
use futures_util::future::join_all;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use crate::intermediary::ends::{Far, Near};
use crate::intermediary::load::{numbered, place_of, run};
use crate::intermediary::message::Writer;
use crate::intermediary::story::Outcome;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Phase {
    pub(crate) protocol: Protocol,
    pub(crate) mode: Mode,
    /// In a second; none is as fast as it goes.
    pub(crate) rate: Option<f64>,
    pub(crate) time: Duration,
    pub(crate) wait: Duration,
    pub(crate) bytes: usize,
    pub(crate) keys: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Books {
    /// When each event of a key was to go in.
    due: Vec<Vec<Instant>>,
    /// Since when no more go in.
    ended: Option<Instant>,
    pub(crate) taken: usize,
    pub(crate) refused: usize,
    /// How late each event came out for the first time.
    pub(crate) latencies: Vec<Duration>,
    pub(crate) repeats: usize,
    /// From the first event in to the last one out.
    pub(crate) whole: Duration,
}

/// How often it is looked whether that was all.
const LOOK: Duration = Duration::from_millis(50);

impl Phase {
    pub(crate) async fn run(&self, near: &Near, far: &mut Far) -> Books {
        let run = run();
        let books = RefCell::new(Books {
            due: vec![Vec::new(); self.keys],
            ..Books::default()
        });
        let begin = Instant::now();
        let sending = async {
            join_all((0..self.keys).map(|key| self.lane(&run, near, key, begin, &books))).await;
            books.borrow_mut().ended = Some(Instant::now());
        };
        tokio::join!(sending, self.gather(&run, far, begin, &books));
        books.into_inner()
    }

    /// Puts in the events of a key, one after the other.
    async fn lane(
        &self,
        run: &str,
        near: &Near,
        key: usize,
        begin: Instant,
        books: &RefCell<Books>,
    ) {
        let writer = Writer {
            protocol: self.protocol,
            mode: self.mode,
            framing: 0,
        };
        for number in 0.. {
            let due = self.rate.map_or_else(Instant::now, |rate| {
                let index = number * self.keys + key;
                begin + Duration::from_secs_f64(index as f64 / rate)
            });
            if due > begin + self.time {
                return;
            }
            sleep_until(due).await;
            let Some(message) = numbered(run, &writer, key, number, self.bytes) else {
                return;
            };
            if let Some(all) = books.borrow_mut().due.get_mut(key) {
                all.push(due);
            }
            loop {
                let offered = near.offer(&message.capture).await;
                match offered.outcome {
                    Outcome::Taken => books.borrow_mut().taken += 1,
                    Outcome::Unknown(_) if due.elapsed() <= self.wait + self.time => {
                        sleep(offered.again_after).await;
                        continue;
                    }
                    Outcome::Refused(_) | Outcome::Unknown(_) => books.borrow_mut().refused += 1,
                }
                break;
            }
        }
    }

    async fn gather(&self, run: &str, far: &mut Far, begin: Instant, books: &RefCell<Books>) {
        let mut seen = HashSet::new();
        loop {
            let came = timeout(LOOK, far.take()).await;
            let mut books = books.borrow_mut();
            let is_quiet = came.is_err();
            for came in came.into_iter().flatten().filter(|came| came.is_taken) {
                let events = came.events.iter();
                for (key, number) in events.filter_map(|event| place_of(run, event.id())) {
                    let due = books.due.get(key).and_then(|all| all.get(number));
                    match due.copied() {
                        Some(due) if seen.insert((key, number)) => {
                            let late = came.at.saturating_duration_since(due);
                            books.latencies.push(late);
                            books.whole = came.at - begin;
                        }
                        Some(_) => books.repeats += 1,
                        None => {}
                    }
                }
            }
            let is_all = seen.len() >= books.taken;
            let is_over = |ended: Instant| is_all || ended.elapsed() > self.wait;
            if is_quiet && books.ended.is_some_and(is_over) {
                return;
            }
        }
    }
}
