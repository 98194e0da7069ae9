//! How many events were delivered in the last hour, minute by minute.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);
const MINUTES: usize = 60;

#[derive(Debug, Default)]
pub(crate) struct Rates {
    /// What was delivered in all, not less than a second apart, of the last minute and one before.
    seconds: VecDeque<(Instant, u64)>,
    /// Full ones, the oldest first.
    minutes: VecDeque<u64>,
    /// When the minute began, and what was delivered by then.
    minute: Option<(Instant, u64)>,
}

impl Rates {
    /// `delivered` since the route began.
    pub(super) fn note(&mut self, delivered: u64, now: Instant) {
        let (began, before) = self.minute.get_or_insert((now, delivered));
        while now - *began >= MINUTE {
            *began += MINUTE;
            self.minutes.push_back(delivered - *before);
            *before = delivered;
            if self.minutes.len() > MINUTES {
                self.minutes.pop_front();
            }
        }
        let last = self.seconds.back();
        if last.is_none_or(|(at, _)| now - *at >= Duration::from_secs(1)) {
            self.seconds.push_back((now, delivered));
        }
        let is_old = |(at, _): &(Instant, u64)| now - *at >= MINUTE;
        while self.seconds.get(1).is_some_and(is_old) {
            self.seconds.pop_front();
        }
    }

    pub(crate) fn per_second(&self) -> f64 {
        match (self.seconds.front(), self.seconds.back()) {
            (Some((from, before)), Some((to, delivered))) if to > from => {
                (delivered - before) as f64 / (*to - *from).as_secs_f64()
            }
            _ => 0.0,
        }
    }

    /// Zeros for the time before the start.
    pub(crate) fn per_minute(&self) -> Vec<u64> {
        let before = MINUTES - self.minutes.len();
        let zeros = std::iter::repeat_n(0, before);
        zeros.chain(self.minutes.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_hour_is_kept_by_the_minute_and_a_minute_by_the_second() {
        let (mut rates, start) = (Rates::default(), Instant::now());
        assert_eq!(rates.per_second(), 0.0);
        assert_eq!(rates.per_minute(), [0; 60]);
        // Ten in a second for ninety seconds, then nothing.
        for half in 0..180_u64 {
            rates.note(5 * half, start + Duration::from_millis(500 * half));
        }
        assert!((9.9..=10.1).contains(&rates.per_second()), "{rates:?}");
        assert_eq!(rates.per_minute()[59], 600);
        rates.note(895, start + Duration::from_secs(240));
        assert_eq!(rates.per_minute()[56..], [600, 295, 0, 0]);
        rates.note(895, start + Duration::from_secs(300));
        assert_eq!(rates.per_second(), 0.0);
        rates.note(895, start + Duration::from_secs(3600 + 61));
        assert_eq!(rates.per_minute().len(), 60);
        assert_eq!(rates.per_minute()[0], 295);
    }
}
