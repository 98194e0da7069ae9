//! HOOK-RATE-1: the rate that was granted.

use std::time::Duration;

use cloudevents_nl_conformance::{Shown, Text};
use tokio::time::Instant;

use crate::sender::journal::Handshake;
use crate::sender::scenario::{Need, Scenario, Scene};
use crate::shown::{by, nothing};

const MINUTE: Duration = Duration::from_secs(60);
/// Beginnings of a minute that are tried.
const MOST_BEGINNINGS: usize = 1000;

/// What it shows is judged with all that came.
pub(super) const SCENARIO: Scenario = Scenario {
    name: "busy",
    does: Text {
        en: "takes deliveries, to see whether more come in a minute than were granted",
        nl: "neemt afleveringen aan, om te zien of er per minuut meer komen dan is toegestaan",
    },
    needs: Need::Rate,
    // More is needed than was granted.
    quiet: |_| Duration::from_millis(100),
    is_done: |scene| {
        let [first, .., last] = scene.deliveries else {
            return false;
        };
        let granted = scene.options.rate.unwrap_or_default();
        is_enough(scene.deliveries.len(), last.at - first.at, granted)
    },
    ..Scenario::PLAIN
};

/// Whether so many are too many wherever minutes begin, or two whole minutes were looked at.
fn is_enough(count: usize, span: Duration, granted: u32) -> bool {
    let minutes = span.as_secs() / MINUTE.as_secs();
    // At most, as it may begin and end within one.
    let touched = minutes + 2;
    minutes >= 2 || count as u64 > touched * most(granted) as u64
}

pub(super) fn judge(scene: &Scene<'_>) -> Shown {
    let Some((granted, since)) = granted(scene.handshakes) else {
        return nothing(
            "no rate in numbers was granted, or once no limit at all: the sender has to ask for consent, and --rate N grants one",
            "er is geen tempo in getallen toegestaan, of een keer een onbeperkt tempo: de afzender moet om instemming vragen, en --rate N geeft er een",
        );
    };
    let deliveries = scene.deliveries.iter().filter(|it| it.at > since);
    let times: Vec<_> = deliveries.map(|delivery| delivery.at).collect();
    let (least, busiest) = busiest(&times);
    if least > most(granted) {
        let last = scene.deliveries.last();
        let seen = format!("{granted} a minute granted → {busiest} in a minute");
        return by(last.map(|it| it.evidence(seen)));
    }
    if busiest > most(granted) {
        let en = format!(
            "{busiest} requests came in a minute, of {granted} that were granted, but {least} if minutes begin as suits the sender: two whole minutes (--patience 130) show more"
        );
        let nl = format!(
            "er kwamen {busiest} verzoeken in een minuut, van {granted} die waren toegestaan, maar {least} als minuten beginnen zoals het de afzender uitkomt: uit twee hele minuten (--patience 130) blijkt meer"
        );
        return nothing(en, nl);
    }
    if busiest * 2 < granted as usize {
        let en =
            format!("at most {busiest} requests came in a minute, of {granted} that were granted");
        let nl = format!(
            "er kwamen hoogstens {busiest} verzoeken in een minuut, van {granted} die waren toegestaan"
        );
        return nothing(en, nl);
    }
    Shown::Met
}

/// The highest rate that was granted, and the first time that one was; `None` where some consent had no limit.
fn granted(handshakes: &[Handshake]) -> Option<(u32, Instant)> {
    let consents = handshakes.iter().filter(|asked| asked.has_consent);
    let rates: Option<Vec<u32>> = consents.clone().map(|asked| asked.granted).collect();
    let since = consents.map(|asked| asked.at).min();
    rates?.into_iter().max().zip(since)
}

/// Requests take their time, some more than others.
fn most(granted: u32) -> usize {
    granted as usize + (granted as usize).div_ceil(20)
}

/// How many came in the busiest minute, where minutes begin such that this is least, as a sender that
/// counts by the minute may have it; and such that it is most.
fn busiest(times: &[Instant]) -> (usize, usize) {
    let Some(first) = times.first() else {
        return (0, 0);
    };
    let counts = times.iter().take(MOST_BEGINNINGS).map(|begin| {
        let offset = (*begin - *first).as_nanos() % MINUTE.as_nanos();
        let since = |time: &Instant| (*time - *first + MINUTE).as_nanos() - offset;
        let minute = |time: &Instant| since(time) / MINUTE.as_nanos();
        let minutes = times.chunk_by(|one, next| minute(one) == minute(next));
        minutes.map(<[_]>::len).max().unwrap_or_default()
    });
    let counts: Vec<usize> = counts.collect();
    let least = counts.iter().min().copied().unwrap_or_default();
    (least, counts.iter().max().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(seconds: &[u64], expected: (usize, usize)) {
        let now = Instant::now();
        let times = seconds
            .iter()
            .map(|seconds| now + Duration::from_secs(*seconds));
        assert_eq!(busiest(&times.collect::<Vec<_>>()), expected, "{seconds:?}");
    }

    #[test]
    fn who_asks_again_may_keep_to_what_was_granted_last() {
        let asked = |granted| Handshake {
            line: 0,
            at: Instant::now(),
            origin: String::new(),
            callback: None,
            granted,
            has_consent: true,
            is_to_another: false,
            callbacks: Vec::new(),
        };
        let refused = Handshake {
            has_consent: false,
            ..asked(None)
        };
        let highest = |handshakes: &[Handshake]| granted(handshakes).map(|(rate, _)| rate);
        assert_eq!(highest(&[]), None);
        let again = [refused, asked(Some(10)), asked(Some(60))];
        assert_eq!(highest(&again), Some(60));
        assert_eq!(highest(&[asked(Some(10)), asked(None)]), None);
    }

    #[test]
    fn looks_on_until_too_many_came_or_for_two_minutes() {
        for (count, seconds, expected) in [
            (22, 59, false),
            (23, 59, true),
            // Twice the rate, at once.
            (23, 61, false),
            (34, 61, true),
            (20, 119, false),
            (20, 120, true),
        ] {
            let span = Duration::from_secs(seconds);
            assert_eq!(is_enough(count, span, 10), expected, "{count} in {span:?}");
        }
    }

    #[test]
    fn counts_by_the_minute_that_suits_the_sender() {
        check(&[], (0, 0));
        check(&[0, 1, 2], (2, 3));
        // Three at the end of a minute, three at the beginning of the next.
        check(&[57, 58, 59, 60, 61, 62], (3, 6));
        check(&[0, 57, 58, 59, 60, 61, 62, 119], (4, 6));
    }
}
