//! A scenario: what a receiver does, for how long, and what it makes of what it got.

use std::time::Duration;

use cloudevents_nl_conformance::{Shown, Text};
use http::Uri;

use super::journal::{Delivery, Handshake};
use super::{Allow, Options};
use crate::listener::{Answer, Received, Refused};

/// The query that redirects name, and that nobody is to ask for. Their path is that of the delivery, which
/// a proxy before us lets through.
pub(super) const ELSEWHERE: &str = "cenl-redirected";

/// Nothing comes for so long, where something is needed.
pub(super) const QUIET: Duration = Duration::from_secs(2);
/// The same, while events may be sent again.
const QUIET_BETWEEN_REPEATS: Duration = Duration::from_secs(10);

/// One file of `rules/` holds one, or more that are alike.
pub(super) struct Scenario {
    pub(super) name: &'static str,
    pub(super) rules: &'static [&'static str],
    pub(super) does: Text,
    /// What it is not played without.
    pub(super) needs: Need,
    /// What the first deliveries are answered, in turn.
    pub(super) replies: &'static [Reply],
    /// What all later ones are.
    pub(super) then: Reply,
    /// Whether nothing more needs to come.
    pub(super) is_done: fn(&Scene<'_>) -> bool,
    /// How long to look on after that.
    pub(super) aftermath: Duration,
    /// How long nothing comes after an arrival before the trigger is pulled again.
    /// It is told whether that was an event for which the sender may come again.
    pub(super) quiet: fn(bool) -> Duration,
    pub(super) judge: Judge,
}

pub(super) type Judge = fn(&Scene<'_>) -> Shown;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    Nothing,
    /// Nothing, and other rules need what comes in it.
    Always,
    /// That we have a certificate; it is replaced by one that nobody trusts.
    Tls,
    /// That a rate in numbers was granted.
    Rate,
    /// `--allow`, as it may end the subscription.
    Allowed(Allow),
}

/// What makes an answer to one delivery.
pub(super) type Reply = fn(&Received) -> Answer;

pub(super) const TAKEN: Reply = |_| Answer::status(204);
pub(super) const FAILED: Reply = |_| Answer::status(500);
pub(super) const UNAVAILABLE: Reply = |_| Answer::status(503);

pub(super) struct Scene<'s> {
    /// In it, not before.
    pub(super) deliveries: &'s [Delivery],
    pub(super) handshakes: &'s [Handshake],
    pub(super) refused: &'s [Refused],
    pub(super) options: &'s Options,
}

impl Scenario {
    /// One that takes everything, and shows nothing of a rule.
    pub(super) const PLAIN: Self = Self {
        name: "",
        rules: &[],
        does: Text { en: "", nl: "" },
        needs: Need::Nothing,
        replies: &[],
        then: TAKEN,
        is_done: |_| true,
        aftermath: Duration::ZERO,
        quiet: |may_repeat| match may_repeat {
            true => QUIET_BETWEEN_REPEATS,
            false => QUIET,
        },
        judge: |_| Shown::Met,
    };
}

impl Scene<'_> {
    /// How many answers were given to deliveries, those to redirects that were followed left out.
    pub(super) fn given(&self) -> usize {
        let deliveries = self.deliveries.iter();
        deliveries.filter(|delivery| !delivery.is_elsewhere).count()
    }

    pub(super) fn answered(&self, status: u16) -> impl Iterator<Item = &Delivery> {
        let deliveries = self.deliveries.iter();
        deliveries.filter(move |delivery| delivery.status == Some(status))
    }

    /// Those that came after another one, not yet knowing its answer left out.
    pub(super) fn after<'s>(&'s self, first: &'s Delivery) -> impl Iterator<Item = &'s Delivery> {
        let deliveries = self.deliveries.iter();
        deliveries.filter(move |delivery| delivery.knows(first))
    }
}

/// Scheme and authority of a URL; nothing of a path.
pub(super) fn origin(url: &str) -> String {
    let url: Uri = url.parse().unwrap_or_default();
    let origin = url.scheme_str().zip(url.authority());
    let origin = origin.map(|(scheme, authority)| format!("{scheme}://{authority}"));
    origin.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_ends_before_the_path() {
        for (url, expected) in [
            ("https://a.example:1/b?c", "https://a.example:1"),
            ("https://a.example", "https://a.example"),
            ("https://a.example?b=/", "https://a.example"),
            ("/b", ""),
        ] {
            assert_eq!(origin(url), expected);
        }
    }
}
