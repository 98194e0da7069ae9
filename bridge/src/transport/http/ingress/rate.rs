//! Holds senders to the rate that the handshake grants them.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::Clock;
use governor::{DefaultKeyedRateLimiter, Quota};
use http::HeaderValue;

use super::clients::Caller;
use crate::config::{Reported, Setting, SettingValue};

/// Further ones share one rate, until others have said nothing for a while.
const SENDERS_MAX: usize = 10_000;

/// Requests per minute; `None` is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rate(pub(super) Option<NonZeroU32>);

impl Setting for Rate {
    fn read(found: &SettingValue<'_>) -> Result<Self, Reported> {
        match found.meant() {
            Some(Ok(text)) if text == "*" => Ok(Self(None)),
            _ => NonZeroU32::read(found).map(|rate| Self(Some(rate))),
        }
    }

    fn schema() -> serde_json::Value {
        serde_json::json!({ "anyOf": [NonZeroU32::schema(), { "enum": ["*"] }] })
    }
}

/// As in `WebHook-Allowed-Rate`.
impl From<Rate> for HeaderValue {
    fn from(Rate(rate): Rate) -> Self {
        rate.map_or(Self::from_static("*"), |rate| rate.get().into())
    }
}

pub(super) struct RateLimit(DefaultKeyedRateLimiter<Sender>);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Sender {
    Client(Box<str>),
    Origin(Box<str>),
    Others,
}

impl RateLimit {
    pub(super) fn new(Rate(rate): Rate) -> Option<Self> {
        Some(Self(DefaultKeyedRateLimiter::keyed(quota(rate?))))
    }

    /// The error is how long to wait. `origin` is that of the request where the path allows it.
    pub(super) fn check(&self, caller: &Caller<'_>, origin: Option<&str>) -> Result<(), Duration> {
        let sender = match (caller, origin) {
            (Caller::Client(client), _) => Sender::Client(client.name.as_str().into()),
            (Caller::Anyone, Some(origin)) => Sender::Origin(origin.to_ascii_lowercase().into()),
            (Caller::Anyone, None) => Sender::Others,
            // Counted once it is known.
            (Caller::Signer(_), _) => return Ok(()),
        };
        if self.0.len() >= SENDERS_MAX {
            self.0.retain_recent();
        }
        let has_room = self.0.len() < SENDERS_MAX;
        let sender = if has_room { sender } else { Sender::Others };
        let checked = self.0.check_key(&sender);
        checked.map_err(|until| until.wait_time_from(self.0.clock().now()))
    }
}

/// A minute's worth may come at once: what is granted does not say how it is spread over the minute.
fn quota(rate: NonZeroU32) -> Quota {
    Quota::per_minute(rate)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use governor::RateLimiter;
    use governor::clock::FakeRelativeClock;

    use super::*;
    use crate::transport::http::ingress::clients::Client;

    #[test]
    fn whoever_sends_no_more_than_was_granted_in_any_minute_is_never_refused() {
        let refused = |sends: fn(u32) -> u32| {
            let clock = FakeRelativeClock::default();
            let limiter =
                RateLimiter::direct_with_clock(quota(NonZeroU32::new(60).unwrap()), clock.clone());
            let second = |second| {
                let refused = (0..sends(second)).filter(|_| limiter.check().is_err());
                let refused = refused.count();
                clock.advance(Duration::from_secs(1));
                refused
            };
            (0..600).map(second).sum::<usize>()
        };
        assert_eq!(refused(|_| 1), 0, "evenly");
        assert_eq!(refused(|second| if second % 60 == 0 { 60 } else { 0 }), 0);
        assert_eq!(refused(|second| if second % 60 == 59 { 60 } else { 0 }), 0);
        assert_eq!(refused(|_| 2), 2 * 600 - 60 - 599, "twice as fast");
    }

    #[test]
    fn each_sender_has_its_own_rate_and_their_number_is_bounded() {
        let limit = RateLimit::new(Rate(NonZeroU32::new(1))).unwrap();
        for number in 0..2 * SENDERS_MAX {
            let origin = format!("s{number}.example");
            let checked = limit.check(&Caller::Anyone, Some(&origin));
            assert_eq!(checked.is_ok(), number <= SENDERS_MAX, "{number}");
        }
        assert_eq!(limit.0.len(), SENDERS_MAX + 1);
    }

    #[test]
    fn a_minute_of_requests_may_come_at_once_and_the_next_waits_its_part() {
        let limit = RateLimit::new(Rate(NonZeroU32::new(60))).unwrap();
        let (one, other) = (Client::bearer((0, "a")), Client::bearer((1, "b")));
        for _ in 0..60 {
            limit.check(&Caller::Client(&one), None).unwrap();
        }
        let wait = limit.check(&Caller::Client(&one), Some("a"));
        let wait = wait.unwrap_err();
        assert!(wait <= Duration::from_secs(1), "{wait:?}");
        assert!(limit.check(&Caller::Client(&other), Some("a")).is_ok());
        assert!(RateLimit::new(Rate(None)).is_none());
    }
}
