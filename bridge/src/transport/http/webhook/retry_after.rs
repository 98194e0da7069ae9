//! `Retry-After`, in both of its forms.

use std::time::{Duration, SystemTime};

/// Keeps later arithmetic on instants from overflowing.
const LONGEST: Duration = Duration::from_secs(u32::MAX as u64);

/// Seconds, or an HTTP date; one in the past is no wait.
pub(super) fn parse(value: &[u8], now: SystemTime) -> Option<Duration> {
    let text = str::from_utf8(value).ok()?.trim_ascii();
    let wait = if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        text.parse().map_or(LONGEST, Duration::from_secs)
    } else {
        httpdate::parse_http_date(text)
            .ok()?
            .duration_since(now)
            .unwrap_or_default()
    };
    Some(wait.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    const DATE: Duration = Duration::from_secs(784_111_777);

    #[test]
    fn reads_seconds_and_dates() {
        let now = SystemTime::UNIX_EPOCH + DATE - Duration::from_secs(30);
        for (value, expected) in [
            ("0", Some(0)),
            (" 120 ", Some(120)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(30)),
            ("Sunday, 06-Nov-94 08:49:37 GMT", Some(30)),
            ("Sun Nov  6 08:49:37 1994", Some(30)),
            ("Sun, 06 Nov 1994 08:48:00 GMT", Some(0)),
            ("99999999999999999999999", Some(u64::from(u32::MAX))),
            ("", None),
            ("-1", None),
            ("+1", None),
            ("1.5", None),
            ("soon", None),
        ] {
            let expected = expected.map(Duration::from_secs);
            assert_eq!(parse(value.as_bytes(), now), expected, "{value:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(value: Vec<u8>, seconds in 0_u64..1 << 40) {
            let now = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
            prop_assert!(parse(&value, now).is_none_or(|wait| wait <= LONGEST));
        }

        #[test]
        fn near_dates_are_read_without_a_panic(
            value in "(Sun|Mon)[a-z]{0,3},? [0-9]{0,2}[ -](Nov|Feb)[ -][0-9]{0,5} [0-9]{0,2}:[0-9:]{0,6} (GMT|)",
        ) {
            prop_assert!(parse(value.as_bytes(), SystemTime::UNIX_EPOCH).is_none_or(|wait| wait <= LONGEST));
        }
    }
}
