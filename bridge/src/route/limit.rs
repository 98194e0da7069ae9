//! Pure: how many exchanges may be under way to an endpoint, found out as TCP finds its window: slow
//! start, then one more for each round of answers, and half after a sign of congestion.

use std::time::Duration;

/// Exchanges under way before anything is known; a receiver with the smallest backlog takes as many.
const START: usize = 4;

/// See the module.
#[derive(Debug)]
pub struct ConcurrencyLimit {
    limit: usize,
    most: usize,
    is_adaptive: bool,
    /// Below it each answer adds one, above it each round of answers.
    threshold: usize,
    answers: usize,
    /// What was sent before says nothing new.
    halved_at: Duration,
}

impl ConcurrencyLimit {
    /// Always `most`: the client has bounds of its own.
    #[must_use]
    pub fn fixed(most: usize) -> Self {
        Self {
            limit: most,
            most,
            is_adaptive: false,
            threshold: most,
            answers: 0,
            halved_at: Duration::ZERO,
        }
    }

    /// Begins small and grows up to `most`.
    #[must_use]
    pub fn adaptive(most: usize) -> Self {
        Self {
            limit: START.min(most),
            is_adaptive: true,
            ..Self::fixed(most)
        }
    }

    /// Whether one more exchange may start beside `in_flight`.
    #[must_use]
    pub fn allows(&self, in_flight: usize) -> bool {
        in_flight < self.limit
    }

    /// An answer came in time, to one of `in_flight` exchanges. A limit that is not used does not grow.
    pub fn grow(&mut self, in_flight: usize) {
        if in_flight * 2 < self.limit {
            return;
        }
        self.answers += 1;
        if self.limit < self.threshold || self.answers >= self.limit {
            self.limit = self.most.min(self.limit + 1);
            self.answers = 0;
        }
    }

    /// A sign of congestion, on an exchange that began at `started`: of those that were under way
    /// together, one counts.
    pub fn halve(&mut self, started: Duration, now: Duration) {
        if self.is_adaptive && started >= self.halved_at {
            self.limit = (self.limit / 2).max(1);
            (self.threshold, self.answers, self.halved_at) = (self.limit, 0, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Rounds of answers until the limit is reached.
    fn rounds(limit: &mut ConcurrencyLimit, wanted: usize) -> usize {
        let mut rounds = 0;
        while limit.limit < wanted {
            let in_flight = limit.limit;
            (0..in_flight).for_each(|_| limit.grow(in_flight));
            rounds += 1;
        }
        rounds
    }

    #[test]
    fn it_doubles_each_round_until_the_first_congestion_and_then_grows_by_one() {
        let mut limit = ConcurrencyLimit::adaptive(64);
        assert!(limit.allows(3) && !limit.allows(4));
        assert_eq!(rounds(&mut limit, 64), 4);
        // A volley of failures halves it once.
        (0..64).for_each(|_| limit.halve(SECOND, 2 * SECOND));
        assert!(limit.allows(31) && !limit.allows(32));
        assert_eq!(rounds(&mut limit, 40), 8);
        limit.halve(2 * SECOND, 3 * SECOND);
        assert!(limit.allows(19) && !limit.allows(20));
    }

    #[test]
    fn it_keeps_within_its_bounds_and_does_not_grow_unused() {
        let mut limit = ConcurrencyLimit::adaptive(2);
        (0..9).for_each(|_| limit.grow(2));
        assert!(limit.allows(1) && !limit.allows(2));
        for second in 1..9 {
            limit.halve(second * SECOND, second * SECOND);
        }
        assert!(limit.allows(0) && !limit.allows(1));
        let mut limit = ConcurrencyLimit::adaptive(64);
        (0..99).for_each(|_| limit.grow(1));
        assert!(!limit.allows(4));
    }
}
