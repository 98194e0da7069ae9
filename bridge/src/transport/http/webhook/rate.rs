//! How fast a target is sent to: evenly, and in no second more than a second's worth beside.

use std::fmt;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::config::{Reported, Setting, SettingValue};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
/// 429 halves the rate down to this; each minute without one doubles it again.
const LEAST_FACTOR: f64 = 1.0 / 16.0;

/// Requests in a minute, above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RequestRate(f64);

impl RequestRate {
    pub(super) fn per_minute(requests: u64) -> Option<Self> {
        (requests > 0).then_some(Self(requests as f64))
    }

    pub(super) fn in_a_minute(self) -> f64 {
        self.0
    }

    pub(super) fn shared_by(self, processes: usize) -> Self {
        Self(self.0 / processes.max(1) as f64)
    }

    pub(super) fn least(self, other: Option<Self>) -> Self {
        other.map_or(self, |other| Self(self.0.min(other.0)))
    }

    /// A day at most.
    fn interval(self) -> Duration {
        Duration::from_secs_f64((60.0 / self.0).min(86_400.0))
    }
}

impl FromStr for RequestRate {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (number, unit) = text.split_once('/').ok_or(())?;
        let number: u32 = number.trim().parse().map_err(|_| ())?;
        let in_a_minute = match unit.trim() {
            "s" => 60.0,
            "min" => 1.0,
            "h" => 1.0 / 60.0,
            _ => return Err(()),
        };
        let rate = f64::from(number) * in_a_minute;
        (number > 0).then_some(Self(rate)).ok_or(())
    }
}

impl Setting for RequestRate {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        let expected = "expected a rate above zero, such as 60/min, 5/s or 100/h";
        let text = found.text(expected)?;
        text.parse().map_err(|()| found.expected(expected))
    }
}

impl fmt::Display for RequestRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/min", self.0)
    }
}

/// The generic cell rate algorithm, for all routes of the process to one target.
#[derive(Debug)]
pub(super) struct RateLimiter(Mutex<State>);

#[derive(Debug)]
struct State {
    rate: Option<RequestRate>,
    /// When the next request would be sent if all came evenly.
    next: Instant,
    factor: f64,
    lowered: Instant,
}

impl RateLimiter {
    /// Another process may have sent a moment ago: the first second is left to it.
    pub(super) fn new(rate: Option<RequestRate>) -> Self {
        let now = Instant::now();
        let next = if rate.is_some() { now + SECOND } else { now };
        Self(Mutex::new(State {
            rate,
            next,
            factor: 1.0,
            lowered: now,
        }))
    }

    /// One request was sent at least, which nobody has counted by this rate.
    pub(super) fn set(&self, rate: Option<RequestRate>) {
        let mut state = self.lock();
        let now = Instant::now();
        state.next = rate.map_or(now, |rate| now + state.interval(rate, now));
        state.rate = rate;
    }

    /// When the next request may be sent, if that is not now.
    pub(super) fn opens_at(&self) -> Option<Instant> {
        let state = self.lock();
        let rate = state.rate?;
        let now = Instant::now();
        let interval = state.interval(rate, now);
        let opens_at = state.next.checked_sub(SECOND.saturating_sub(interval))?;
        (opens_at > now).then_some(opens_at)
    }

    pub(super) fn sent(&self) {
        let mut state = self.lock();
        if let Some(rate) = state.rate {
            let now = Instant::now();
            state.next = state.next.max(now) + state.interval(rate, now);
        }
    }

    /// 429. What was under way together counts once.
    pub(super) fn lower(&self) {
        let mut state = self.lock();
        let now = Instant::now();
        if now - state.lowered >= SECOND || state.factor == 1.0 {
            state.factor = (state.factor_at(now) / 2.0).max(LEAST_FACTOR);
            state.lowered = now;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn interval(&self, rate: RequestRate, now: Instant) -> Duration {
        rate.interval().div_f64(self.factor_at(now))
    }

    fn factor_at(&self, now: Instant) -> f64 {
        let minutes = (now - self.lowered).div_duration_f64(MINUTE).floor();
        (self.factor * minutes.exp2()).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use tokio::time::{advance, sleep_until};

    use super::*;

    /// Requests sent in so many seconds by whoever always has one.
    async fn sent(limiter: &RateLimiter, seconds: u64) -> usize {
        let (end, mut sent) = (Instant::now() + Duration::from_secs(seconds), 0);
        while Instant::now() < end {
            match limiter.opens_at() {
                Some(at) => sleep_until(at.min(end)).await,
                None => {
                    limiter.sent();
                    sent += 1;
                }
            }
        }
        sent
    }

    #[test]
    fn a_rate_has_a_number_and_a_unit() {
        for (text, per_minute) in [("60/min", 60.0), ("5/s", 300.0), ("120 / h", 2.0)] {
            assert_eq!(text.parse(), Ok(RequestRate(per_minute)), "{text}");
        }
        for text in ["", "60", "0/min", "-1/s", "1.5/s", "5/day", "*"] {
            assert_eq!(text.parse::<RequestRate>(), Err(()), "{text}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn no_minute_has_more_than_the_rate_and_a_second_s_worth() {
        for (rate, most) in [
            ("60/min", 61),
            ("600/min", 610),
            ("10/min", 11),
            ("30/s", 1830),
        ] {
            let limiter = RateLimiter::new(Some(rate.parse().unwrap()));
            // Nobody sent for a while: what was not used is not saved up.
            advance(10 * MINUTE).await;
            let sent = sent(&limiter, 60).await;
            assert!((most - 2..=most).contains(&sent), "{rate}: {sent}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_owner_leaves_the_first_second_to_the_last() {
        let limiter = RateLimiter::new(Some("60/min".parse().unwrap()));
        assert_eq!(sent(&limiter, 1).await, 0);
        assert_eq!(sent(&limiter, 10).await, 10);
    }

    #[tokio::test(start_paused = true)]
    async fn the_least_and_the_greatest_rate_are_kept() {
        for (rate, processes) in [("1/h", usize::MAX), ("4294967295/s", 1)] {
            let rate: RequestRate = rate.parse().unwrap();
            let limiter = RateLimiter::new(Some(rate.shared_by(processes)));
            advance(SECOND).await;
            for _ in 0..100 {
                limiter.lower();
                limiter.sent();
                limiter.opens_at();
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_nobody_waits() {
        let limiter = RateLimiter::new(None);
        (0..1000).for_each(|_| limiter.sent());
        assert_eq!(limiter.opens_at(), None);
        limiter.lower();
        assert_eq!(limiter.opens_at(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn too_many_requests_halve_it_and_time_restores_it() {
        let limiter = RateLimiter::new(Some("600/min".parse().unwrap()));
        advance(SECOND).await;
        (0..50).for_each(|_| limiter.lower());
        let halved = sent(&limiter, 60).await;
        assert!((300..=310).contains(&halved), "{halved}");
        let restored = sent(&limiter, 60).await;
        assert!((595..=610).contains(&restored), "{restored}");
    }
}
