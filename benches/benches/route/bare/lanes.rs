//! Order per key, as simple as it can be had: an event waits while an earlier one of its key is
//! under way.

use std::collections::{HashMap, HashSet, VecDeque};

use bytes::Bytes;

/// An event with its key, waiting to be sent.
#[derive(Debug)]
pub(super) struct Lanes<T> {
    pub(super) ready: VecDeque<(Bytes, T)>,
    busy: HashSet<Bytes>,
    waiting: HashMap<Bytes, VecDeque<T>>,
    held_back: usize,
}

impl<T> Default for Lanes<T> {
    fn default() -> Self {
        Self {
            ready: VecDeque::new(),
            busy: HashSet::new(),
            waiting: HashMap::new(),
            held_back: 0,
        }
    }
}

impl<T> Lanes<T> {
    pub(super) fn push(&mut self, key: Bytes, event: T) {
        if self.busy.insert(key.clone()) {
            self.ready.push_back((key, event));
        } else {
            self.held_back += 1;
            self.waiting.entry(key).or_default().push_back(event);
        }
    }

    /// The exchange of this key has ended.
    pub(super) fn release(&mut self, key: &Bytes) {
        let next = self.waiting.get_mut(key).and_then(VecDeque::pop_front);
        if let Some(event) = next {
            self.held_back -= 1;
            self.ready.push_back((key.clone(), event));
        } else {
            self.waiting.remove(key);
            self.busy.remove(key);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ready.len() + self.held_back
    }
}
