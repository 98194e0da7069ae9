//! Pure: which messages of a stream this process holds, and which it settled not long ago.
//!
//! The server sends a message again when it heard nothing of it for a while, or when an
//! acknowledgement was lost with a connection. The ledger tells such a repeat from a message that
//! is new. It never guesses: what it does not remember to have settled is new, so that a message
//! may be delivered twice, and is never taken for done. A stream that lost its end counts on from
//! where it is, so a message is known by its sequence and by the moment at which it was stored.

use std::collections::{BTreeMap, HashMap, VecDeque};

/// What a message is to this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Not seen, or long ago.
    New,
    /// In the window.
    Held,
    /// Settled; the acknowledgement was lost.
    Settled,
    /// Its sequence was that of another message: the stream counts anew.
    Other,
}

/// See the module. `R` is what acknowledges a message.
#[derive(Debug)]
pub(super) struct Ledger<R> {
    /// Held messages in the order of their slots.
    order: VecDeque<u64>,
    /// By sequence, with the moment of storing.
    held: HashMap<u64, (i64, R)>,
    settled: BTreeMap<u64, i64>,
    /// The same in the order of settling.
    remembered: VecDeque<u64>,
    most_remembered: usize,
    /// Nothing is known of any sequence above: which is where nearly all messages come from.
    highest: u64,
}

impl<R> Ledger<R> {
    /// A ledger that remembers so many settled messages.
    pub(super) fn new(most_remembered: usize) -> Self {
        Self {
            order: VecDeque::new(),
            held: HashMap::new(),
            settled: BTreeMap::new(),
            remembered: VecDeque::new(),
            most_remembered,
            highest: 0,
        }
    }

    /// What the message at `sequence` is, which was stored at this moment.
    pub(super) fn known(&self, sequence: u64, stored: i64) -> Known {
        if sequence > self.highest {
            return Known::New;
        }
        let held = self
            .held
            .get(&sequence)
            .map(|(then, _)| (then, Known::Held));
        let settled = || self.settled.get(&sequence);
        match held.or_else(|| settled().map(|then| (then, Known::Settled))) {
            None => Known::New,
            Some((&then, known)) if then == stored => known,
            Some(_) => Known::Other,
        }
    }

    /// Whether nothing is known of a sequence.
    pub(super) fn is_new(&self, sequence: u64) -> bool {
        !self.held.contains_key(&sequence) && !self.settled.contains_key(&sequence)
    }

    /// Notes a message that enters the window behind all others.
    pub(super) fn hold(&mut self, sequence: u64, stored: i64, reply: R) {
        self.highest = self.highest.max(sequence);
        if self.held.insert(sequence, (stored, reply)).is_none() {
            self.order.push_back(sequence);
        }
    }

    /// Moves everything up to the watermark to the settled ones; returns what acknowledges it.
    pub(super) fn settle_up_to(&mut self, watermark: u64) -> Vec<R> {
        let mut done = Vec::new();
        if !self.held.contains_key(&watermark) {
            return done;
        }
        while let Some(sequence) = self.order.pop_front() {
            if let Some((stored, reply)) = self.held.remove(&sequence) {
                done.push(reply);
                self.remember(sequence, stored);
            }
            if sequence == watermark {
                break;
            }
        }
        done
    }

    fn remember(&mut self, sequence: u64, stored: i64) {
        if self.settled.insert(sequence, stored).is_none() {
            self.remembered.push_back(sequence);
        }
        while self.remembered.len() > self.most_remembered
            && let Some(oldest) = self.remembered.pop_front()
        {
            self.settled.remove(&oldest);
        }
    }

    /// Forgets what is held, and returns it in order; what was settled stays settled.
    pub(super) fn let_go(&mut self) -> Vec<R> {
        let order = std::mem::take(&mut self.order);
        let mut held = std::mem::take(&mut self.held);
        order
            .iter()
            .filter_map(|sequence| held.remove(sequence))
            .map(|(_, reply)| reply)
            .collect()
    }

    /// Forgets what was settled: the sequences mean other messages from now on.
    pub(super) fn forget_settled(&mut self) {
        self.settled.clear();
        self.remembered.clear();
    }

    /// What acknowledges each held message, in order.
    pub(super) fn held(&self) -> impl Iterator<Item = &R> {
        self.order
            .iter()
            .filter_map(|sequence| self.held.get(sequence))
            .map(|(_, reply)| reply)
    }

    /// Settled messages between two sequences, both included, and when they were stored.
    pub(super) fn settled_within(
        &self,
        first: u64,
        last: u64,
    ) -> impl DoubleEndedIterator<Item = (u64, i64)> {
        let last = last.max(first.saturating_sub(1));
        let range = self.settled.range(first..last.saturating_add(1));
        range.map(|(sequence, stored)| (*sequence, *stored))
    }

    /// Messages held up to a sequence, included.
    pub(super) fn held_up_to(&self, last: u64) -> usize {
        self.order
            .iter()
            .filter(|sequence| **sequence <= last)
            .count()
    }

    /// Messages held.
    pub(super) fn len(&self) -> usize {
        self.order.len()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_repeat_is_told_from_a_new_message() {
        let mut ledger = Ledger::new(2);
        for sequence in [3, 5, 9] {
            assert_eq!(ledger.known(sequence, 7), Known::New);
            ledger.hold(sequence, 7, sequence);
            assert_eq!(ledger.known(sequence, 7), Known::Held);
        }
        // The watermark is a sequence that is held; any other moves nothing.
        assert!(ledger.settle_up_to(4).is_empty());
        assert_eq!(ledger.settle_up_to(5), [3, 5]);
        assert_eq!(ledger.known(3, 7), Known::Settled);
        assert_eq!(ledger.settled_within(4, 8).collect::<Vec<_>>(), [(5, 7)]);
        assert_eq!(ledger.settled_within(8, 4).count(), 0);
        // The memory is bounded; a forgotten message is new, never settled.
        assert_eq!(ledger.settle_up_to(9), [9]);
        assert_eq!(ledger.known(3, 7), Known::New);
    }

    #[test]
    fn a_sequence_that_is_counted_again_is_another_message() {
        let mut ledger = Ledger::new(2);
        ledger.hold(1, 7, 'a');
        ledger.hold(2, 8, 'b');
        assert_eq!(ledger.settle_up_to(1), ['a']);
        for (sequence, stored, expected) in [
            (1, 7, Known::Settled),
            (1, 9, Known::Other),
            (2, 8, Known::Held),
            (2, 9, Known::Other),
            (3, 9, Known::New),
        ] {
            assert_eq!(ledger.known(sequence, stored), expected, "{sequence}");
            assert_eq!(ledger.is_new(sequence), expected == Known::New);
        }
    }

    #[test]
    fn what_is_let_go_is_new_again() {
        let mut ledger = Ledger::new(8);
        ledger.hold(1, 7, 'a');
        ledger.hold(2, 7, 'b');
        assert_eq!(ledger.settle_up_to(1), ['a']);
        assert_eq!(ledger.let_go(), ['b']);
        assert_eq!(
            (ledger.known(1, 7), ledger.known(2, 7)),
            (Known::Settled, Known::New)
        );
        assert_eq!(ledger.len(), 0);
    }

    proptest! {
        /// Whatever the order of arrivals and watermarks, what is acknowledged was held, at most
        /// once, and in the order in which it came.
        #[test]
        fn nothing_is_acknowledged_that_was_not_held(
            steps in prop::collection::vec((any::<bool>(), 0_u64..40), 0..200),
        ) {
            let mut ledger = Ledger::new(16);
            let mut arrived = Vec::new();
            let mut acknowledged = Vec::new();
            for (arrives, sequence) in steps {
                if arrives && ledger.known(sequence, 7) == Known::New {
                    ledger.hold(sequence, 7, (arrived.len(), sequence));
                    arrived.push(sequence);
                } else if !arrives {
                    acknowledged.extend(ledger.settle_up_to(sequence));
                }
            }
            let places: Vec<_> = acknowledged.iter().map(|(place, _)| *place).collect();
            prop_assert_eq!(places, (0..acknowledged.len()).collect::<Vec<_>>());
            prop_assert_eq!(arrived.len() - acknowledged.len(), ledger.len());
        }
    }
}
