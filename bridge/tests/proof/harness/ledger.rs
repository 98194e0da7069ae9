//! The books of one pair: what was due, what its source took, what arrived, and when.
//!
//! Numbers have no gap per key, so a key's books are a few numbers and one bit per event.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard};

use super::clock::Clock;
use crate::support::events::{Numbered, SOURCE};
use crate::support::wire::Seen;

/// See the module.
#[derive(Debug)]
pub(crate) struct Ledger {
    clock: Clock,
    book: Mutex<Book>,
}

/// What is written down.
#[derive(Debug, Default)]
pub(crate) struct Book {
    pub(crate) keys: Vec<KeyBook>,
    /// Every event that reached the far end and was taken there, in that order, repeats included.
    pub(crate) arrivals: Vec<Arrival>,
    /// Where the source keeps an event: partition and offset.
    pub(crate) places: BTreeMap<(i32, i64), (usize, u32)>,
    /// What reached the far end and was never sent, or not so.
    pub(crate) strange: Vec<String>,
    /// Events that came to a receiver although an earlier one of their key had not been taken.
    pub(crate) jumped: Vec<String>,
    /// Answers of the bridge that no sender should get.
    pub(crate) refused: Vec<String>,
    /// Ids of malformed events that the source took, or that the bridge refused as it must.
    pub(crate) malformed: usize,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct KeyBook {
    /// Events that should have been sent by now: numbers below it.
    pub(crate) due: u32,
    /// Events that the source has taken: numbers below it.
    pub(crate) sent: u32,
    /// How often a number was offered beyond the first time.
    pub(crate) offered_again: BTreeMap<u32, u32>,
    /// Whether a number has arrived.
    pub(crate) arrived: Vec<bool>,
    /// How many have.
    count: usize,
    /// The first number that has not.
    pub(crate) missing: u32,
}

/// One event at the far end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) key: usize,
    pub(crate) number: u32,
    /// In milliseconds of the run.
    pub(crate) at: u32,
}

/// The first missing number of each key, once all that was due at a moment has arrived.
pub(crate) type Mark = Vec<u32>;

impl Ledger {
    pub(crate) fn new(clock: Clock, keys: usize) -> Self {
        let book = Book {
            keys: vec![KeyBook::default(); keys],
            ..Book::default()
        };
        Self {
            clock,
            book: Mutex::new(book),
        }
    }

    pub(crate) fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap()
    }

    /// One more event of `key` is due.
    pub(crate) fn add_due(&self, key: usize) {
        self.book().keys[key].due += 1;
    }

    /// The next event of `key` that was not sent, if one is due.
    pub(crate) fn next(&self, key: usize) -> Option<Numbered> {
        let book = self.book();
        let own = &book.keys[key];
        (own.sent < own.due).then(|| event(key, own.sent))
    }

    /// An event was offered to the source and may be there although nobody said so.
    pub(crate) fn offered_in_vain(&self, key: usize, number: usize) {
        let number = u32::try_from(number).unwrap();
        let mut book = self.book();
        *book.keys[key].offered_again.entry(number).or_default() += 1;
    }

    /// The source has the next event of `key`.
    pub(crate) fn taken(&self, key: usize, place: Option<(i32, i64)>) {
        let mut book = self.book();
        let number = book.keys[key].sent;
        book.keys[key].sent += 1;
        if let Some(place) = place {
            book.places.insert(place, (key, number));
        }
    }

    /// What is due now.
    pub(crate) fn mark(&self) -> Mark {
        self.book().keys.iter().map(|key| key.due).collect()
    }

    /// Whether all that was due then has arrived.
    pub(crate) fn has(&self, mark: &Mark) -> bool {
        let book = self.book();
        let mut keys = book.keys.iter().zip(mark);
        keys.all(|(key, due)| key.missing >= *due)
    }

    /// Events that are due and have not arrived.
    pub(crate) fn backlog(&self) -> usize {
        let book = self.book();
        let keys = book.keys.iter();
        let missing = keys.map(|key| key.due as usize - key.count);
        missing.sum()
    }

    /// A receiver has read an event and not judged it yet. Were the order kept, every earlier event
    /// of its key was taken before.
    pub(crate) fn came(&self, seen: &Seen) {
        let Some((key, number)) = place_of(seen.id()) else {
            return;
        };
        let mut book = self.book();
        let is_early = book.keys.get(key).is_some_and(|own| number > own.missing);
        if is_early {
            book.jumped.push(seen.id().to_owned());
        }
    }

    /// The far end has an event for good.
    pub(crate) fn arrived(&self, seen: &Seen) {
        let at = self.clock.millis();
        let mut book = self.book();
        match place_of(seen.id()) {
            Some((key, number)) if is_as_sent(seen, number) && book.is_due(key, number) => {
                book.arrivals.push(Arrival { key, number, at });
                book.keys[key].note_arrival(number);
            }
            _ => book.strange.push(seen.id().to_owned()),
        }
    }
}

impl Book {
    fn is_due(&self, key: usize, number: u32) -> bool {
        self.keys.get(key).is_some_and(|own| number < own.due)
    }

    pub(crate) fn sent(&self) -> usize {
        self.keys.iter().map(|key| key.sent as usize).sum()
    }
}

impl KeyBook {
    fn note_arrival(&mut self, number: u32) {
        let number = number as usize;
        if self.arrived.len() <= number {
            self.arrived.resize(number + 1, false);
        }
        self.count += usize::from(!self.arrived[number]);
        self.arrived[number] = true;
        while self.arrived.get(self.missing as usize) == Some(&true) {
            self.missing += 1;
        }
    }

    pub(crate) fn has(&self, number: u32) -> bool {
        self.arrived.get(number as usize) == Some(&true)
    }
}

/// The event of a key with a number.
pub(crate) fn event(key: usize, number: u32) -> Numbered {
    Numbered {
        key: format!("k{key}"),
        number: number as usize,
    }
}

/// Key and number of an id.
pub(crate) fn place_of(id: &str) -> Option<(usize, u32)> {
    let Numbered { key, number } = Numbered::of_id(id)?;
    let key = key.strip_prefix('k')?.parse().ok()?;
    Some((key, u32::try_from(number).ok()?))
}

/// Whether it is the event that was sent, not merely one with its id.
fn is_as_sent(seen: &Seen, number: u32) -> bool {
    let source = seen.attributes.get("source");
    let begin = format!("{{\"number\":{number},");
    let data = seen.data.as_deref().unwrap_or_default();
    source.is_some_and(|source| source == SOURCE) && data.starts_with(begin.as_bytes())
}
