//! How fast this process sends to a target: evenly, and in no time more than a second's worth beside.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::Duration;

use tokio::time::Instant;

use crate::config::{Reported, Setting, SettingValue};
use crate::shared::lock;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
/// Nobody waits longer before another look, in seconds.
const DAY: f64 = 86_400.0;
/// 429 halves the rate down to this; each minute without one doubles it again.
const LEAST_FACTOR: f64 = 1.0 / 16.0;

/// Requests in a minute, above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct RequestRate(pub(super) f64);

impl RequestRate {
    pub(super) fn per_minute(requests: u64) -> Option<Self> {
        (requests > 0).then_some(Self(requests as f64))
    }
}

impl FromStr for RequestRate {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (number, unit) = text.split_once('/').ok_or(())?;
        let number: NonZeroU32 = number.trim().parse().map_err(|_| ())?;
        let in_a_minute = match unit.trim() {
            "s" => 60.0,
            "min" => 1.0,
            "h" => 1.0 / 60.0,
            _ => return Err(()),
        };
        Ok(Self(f64::from(number.get()) * in_a_minute))
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

/// A token bucket of one second's worth, for all routes of the process to one target. It starts empty, and so
/// does what it gains of the rate: another process may have sent that a moment ago.
#[derive(Debug)]
pub(super) struct RateLimiter(Mutex<State>);

#[derive(Debug)]
struct State {
    /// For all processes together.
    rate: Option<RequestRate>,
    /// How much of its source each route reads. One that has ended by itself counts among them, because it
    /// reads on in other processes.
    parts: Vec<(Weak<()>, f64)>,
    tokens: f64,
    filled: Instant,
    factor: f64,
    lowered: Instant,
}

impl RateLimiter {
    pub(super) fn new(rate: Option<RequestRate>) -> Self {
        let now = Instant::now();
        Self(Mutex::new(State {
            rate,
            parts: Vec::new(),
            tokens: 0.0,
            filled: now,
            factor: 1.0,
            lowered: now,
        }))
    }

    pub(super) fn set(&self, rate: Option<RequestRate>) {
        self.filled().rate = rate;
    }

    /// From 0 to 1, of a route that counts as long as `route` lives.
    pub(super) fn set_part(&self, route: &Arc<()>, part: f64) {
        let mut state = self.filled();
        let weak = Arc::downgrade(route);
        let parts = &mut state.parts;
        parts.retain(|(other, _)| other.strong_count() > 0 && !other.ptr_eq(&weak));
        parts.push((weak, part));
    }

    /// When the next request may be sent, if that is not now.
    pub(super) fn opens_at(&self) -> Option<Instant> {
        // Most have no rate, and then nobody needs the time.
        lock(&self.0).rate?;
        let state = self.filled();
        let rate = state.in_a_second()?;
        let missing = rate.min(1.0) - state.tokens;
        let wait = match rate > 0.0 {
            true => (missing / rate).clamp(0.0, DAY),
            false => DAY,
        };
        let wait = Duration::from_secs_f64(wait);
        (!wait.is_zero()).then(|| state.filled + wait)
    }

    pub(super) fn sent(&self) {
        if lock(&self.0).rate.is_some() {
            self.filled().tokens -= 1.0;
        }
    }

    /// 429. What was under way together counts once.
    pub(super) fn lower(&self) {
        let mut state = self.filled();
        let now = state.filled;
        if now - state.lowered >= SECOND || state.factor == 1.0 {
            state.factor = (state.factor_at(now) / 2.0).max(LEAST_FACTOR);
            state.lowered = now;
        }
    }

    /// By what the rate was until now.
    fn filled(&self) -> MutexGuard<'_, State> {
        let mut state = lock(&self.0);
        let elapsed = state.filled.elapsed();
        state.filled += elapsed;
        let new = |rate: f64| (state.tokens + rate * elapsed.as_secs_f64()).min(rate);
        state.tokens = state.in_a_second().map_or(0.0, new);
        state
    }
}

impl State {
    /// The part of this process. The mean of its routes' parts adds up to the whole over all processes, however
    /// each route is divided among them.
    fn in_a_second(&self) -> Option<f64> {
        let parts = self.parts.iter();
        let parts = parts.filter(|(route, _)| route.strong_count() > 0);
        let (count, sum) = parts.fold((0.0, 0.0), |(count, sum), (_, part)| {
            (count + 1.0, sum + part)
        });
        let mean = if count > 0.0 { sum / count } else { 1.0 };
        Some(self.rate?.0 / 60.0 * mean * self.factor_at(self.filled))
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
        for (rate, part) in [("1/h", 0.0), ("1/h", 1e-300), ("4294967295/s", 1.0)] {
            let (limiter, route) = (RateLimiter::new(Some(rate.parse().unwrap())), Arc::new(()));
            limiter.set_part(&route, part);
            advance(SECOND).await;
            for _ in 0..100 {
                limiter.lower();
                limiter.sent();
                limiter.opens_at();
            }
        }
    }

    /// Two routes of four partitions each, which move among three processes, each of which has something to
    /// send at all times.
    #[tokio::test(start_paused = true)]
    async fn processes_keep_one_rate_together_whatever_moves_between_them() {
        const PER_SECOND: f64 = 120.0;
        let mut random = fastrand::Rng::with_seed(7);
        let rate = Some(RequestRate(PER_SECOND * 60.0));
        let processes = [(); 3].map(|()| (RateLimiter::new(rate), [(); 2].map(|()| Arc::new(()))));
        let mut owners = [[0; 4]; 2];
        let tell = |process: usize, route: usize, owners: &[[usize; 4]; 2]| {
            let own = owners[route].iter().filter(|owner| **owner == process);
            let (limiter, routes) = &processes[process];
            limiter.set_part(&routes[route], own.count() as f64 / 4.0);
        };
        let (began, mut sent) = (Instant::now(), Vec::new());
        for millisecond in 0..60_000 {
            if millisecond == 0 {
                (0..3).for_each(|process| (0..2).for_each(|route| tell(process, route, &owners)));
            } else if random.u32(..200) == 0 {
                let (route, partition) = (random.usize(..2), random.usize(..4));
                let next = random.usize(..3);
                let last = std::mem::replace(&mut owners[route][partition], next);
                tell(last, route, &owners);
                tell(next, route, &owners);
            }
            for (limiter, _) in &processes {
                while limiter.opens_at().is_none() {
                    limiter.sent();
                    sent.push(began.elapsed().as_secs_f64());
                }
            }
            advance(Duration::from_millis(1)).await;
        }
        // What came until a moment may be so far ahead of the rate, and no later moment further.
        let mut least = f64::MAX;
        for (number, at) in sent.iter().enumerate() {
            let ahead = number as f64 - PER_SECOND * at;
            least = least.min(ahead);
            assert!(
                ahead + 1.0 - least <= PER_SECOND + 3.0,
                "{at}: {ahead}, {least}"
            );
        }
        assert!(
            sent.len() as f64 > 0.9 * 60.0 * PER_SECOND,
            "{}",
            sent.len()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_process_gains_of_a_rate_was_sent_by_another_a_moment_ago() {
        let limiter = RateLimiter::new(Some("10/s".parse().unwrap()));
        let route = Arc::new(());
        limiter.set_part(&route, 0.0);
        advance(MINUTE).await;
        assert!(limiter.opens_at().unwrap() > Instant::now() + MINUTE);
        limiter.set_part(&route, 0.5);
        assert_eq!(sent(&limiter, 1).await, 4);
        advance(MINUTE).await;
        // Of a second's worth it has half.
        limiter.set_part(&route, 1.0);
        assert_eq!(sent(&limiter, 1).await, 5 + 9);
        advance(MINUTE).await;
        limiter.set_part(&route, 0.5);
        assert_eq!(sent(&limiter, 1).await, 5 + 4);
    }

    #[tokio::test(start_paused = true)]
    async fn a_route_that_has_ended_by_itself_counts_until_its_settings_are_gone() {
        let limiter = RateLimiter::new(Some("10/s".parse().unwrap()));
        let (one, ended) = (Arc::new(()), Arc::new(()));
        limiter.set_part(&one, 1.0);
        limiter.set_part(&ended, 0.0);
        advance(SECOND).await;
        assert_eq!(sent(&limiter, 10).await, 5 + 49);
        drop(ended);
        let sent = sent(&limiter, 10).await;
        assert!((100..=101).contains(&sent), "{sent}");
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_nobody_waits() {
        let limiter = RateLimiter::new(None);
        (0..1000).for_each(|_| limiter.sent());
        assert_eq!(limiter.opens_at(), None);
        limiter.set(Some("10/s".parse().unwrap()));
        let sent = sent(&limiter, 10).await;
        assert_eq!(sent, 99, "what nobody counted is no debt");
        limiter.set(None);
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
