//! One measurement: events go in for a while, and when each came out is written down.

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use tokio::time::{Instant, timeout};

use super::Options;
use crate::intermediary::ends::{Far, Near};
use crate::intermediary::load::{lanes, numbered, place_of, run};
use crate::intermediary::message::Writer;
use crate::intermediary::story::Outcome;

#[derive(Clone, Debug)]
pub(crate) struct Phase<'o> {
    pub(crate) what: &'static str,
    pub(crate) options: &'o Options,
    pub(crate) writer: Writer,
    /// In a second; none is as fast as it goes.
    pub(crate) rate: Option<f64>,
    pub(crate) bytes: usize,
}

#[derive(Debug, Default)]
pub(crate) struct Books {
    /// When each event that did not come out yet was to go in, by key and number.
    due: HashMap<(usize, usize), Instant>,
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

impl Phase<'_> {
    pub(crate) async fn run(&self, near: &Near, far: &mut Far) -> Books {
        let (run, books) = (run(), RefCell::<Books>::default());
        let (begin, options) = (Instant::now(), self.options);
        let put = async |key: usize, number: usize, due: Instant| {
            let message = numbered(&run, &self.writer, key, number, self.bytes);
            books.borrow_mut().due.insert((key, number), due);
            let until = due + options.time + options.wait;
            match near.put(&message.capture, until).await.0 {
                Outcome::Taken => books.borrow_mut().taken += 1,
                Outcome::Refused(_) | Outcome::Unknown(_) => books.borrow_mut().refused += 1,
            }
        };
        let sending = async {
            let is_over = |_: usize, due: Instant| due > begin + options.time;
            lanes(options.keys, self.rate, is_over, put).await;
            books.borrow_mut().ended = Some(Instant::now());
        };
        tokio::join!(sending, self.gather(&run, far, begin, &books));
        books.into_inner()
    }

    async fn gather(&self, run: &str, far: &mut Far, begin: Instant, books: &RefCell<Books>) {
        loop {
            let came = timeout(LOOK, far.take()).await;
            let mut books = books.borrow_mut();
            let is_quiet = came.is_err();
            for came in came.into_iter().flatten().filter(|came| came.is_taken) {
                let events = came.events.iter();
                for place in events.filter_map(|event| place_of(run, event.id())) {
                    match books.due.remove(&place) {
                        Some(due) => {
                            let late = came.at.saturating_duration_since(due);
                            books.latencies.push(late);
                            books.whole = came.at - begin;
                        }
                        None => books.repeats += 1,
                    }
                }
            }
            let is_all = books.latencies.len() >= books.taken;
            let is_over = |ended: Instant| is_all || ended.elapsed() > self.options.wait;
            if is_quiet && books.ended.is_some_and(is_over) {
                return;
            }
        }
    }
}
