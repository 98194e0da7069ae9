//! Pure: adaptive concurrency as TCP does it: slow start, additive increase, halved on congestion.

use std::time::Duration;

/// The smallest listen backlog takes as many, and a few events without an answer leave room for others.
const START: usize = 4;

#[derive(Debug)]
pub struct ConcurrencyLimit {
    limit: usize,
    most: usize,
    least: usize,
    /// Of slow start.
    threshold: usize,
    answers: usize,
    /// What was sent before counts no more.
    halved_at: Duration,
}

impl ConcurrencyLimit {
    /// Starts at `most`, unless it `is_adaptive`.
    pub fn new(most: usize, is_adaptive: bool) -> Self {
        let least = if is_adaptive { START.min(most) } else { most };
        Self {
            limit: least,
            most,
            least,
            threshold: most,
            answers: 0,
            halved_at: Duration::ZERO,
        }
    }

    pub fn allows(&self, in_flight: usize) -> bool {
        in_flight < self.limit
    }

    /// A limit that is not used does not grow.
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

    /// Of the exchanges that were under way together, one counts.
    pub fn halve(&mut self, started: Duration, now: Duration) {
        if started >= self.halved_at {
            self.limit = (self.limit / 2).max(self.least);
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
        let mut limit = ConcurrencyLimit::new(64, true);
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
        for (most, least) in [(2, 2), (64, 4)] {
            let mut limit = ConcurrencyLimit::new(most, true);
            (0..99).for_each(|_| limit.grow(most));
            assert!(limit.allows(most - 1) && !limit.allows(most));
            for second in 1..9 {
                limit.halve(second * SECOND, second * SECOND);
            }
            assert!(limit.allows(least - 1) && !limit.allows(least));
        }
        let mut fixed = ConcurrencyLimit::new(2, false);
        fixed.halve(SECOND, SECOND);
        assert!(fixed.allows(1) && !fixed.allows(2));
        let mut limit = ConcurrencyLimit::new(64, true);
        (0..99).for_each(|_| limit.grow(1));
        assert!(!limit.allows(4));
    }
}
