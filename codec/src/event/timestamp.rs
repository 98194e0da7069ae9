//! RFC 3339 timestamps: checked, never rewritten.

use crate::lanes::{ByteRanges, Lanes, WIDTH};

/// Whether `text` is a `date-time` of RFC 3339, calendar and leap-second rule included.
#[inline]
pub(crate) fn is_timestamp(text: &str) -> bool {
    is_usual(text.as_bytes()) || check(text.as_bytes()).is_some()
}

/// Whether `text` is surely a timestamp, as computers write it: no leap second, no leap day, and an offset of a few
/// hours. It has no branches on the text, which would be mispredicted.
#[inline]
pub(crate) fn is_usual(text: &[u8]) -> bool {
    let (Some(start), Some(end)) = (text.first_chunk::<20>(), text.last_chunk::<WIDTH>()) else {
        return false;
    };
    let Some(ending) = ENDINGS.get(text.len() - start.len()) else {
        return false;
    };
    let [y1, y2, y3, y4, rest @ ..] = start;
    let two_digits = |at: usize| (rest[at] & 15) * 10 + (rest[at + 1] & 15);
    let (month, day, hour) = (two_digits(1), two_digits(4), two_digits(7));
    let is_in_calendar = day.wrapping_sub(1) < MONTH_DAYS[usize::from(month & 31)];
    let year = [y1, y2, y3, y4].into_iter();
    year.fold(true, |all, byte| all & byte.is_ascii_digit())
        & Lanes::of(rest).is_within(&FIELDS)
        & Lanes::of(end).is_within(ending)
        & is_in_calendar
        & (hour < 24)
        & (text.len() != EMPTY_FRACTION)
}

/// From the hyphen after the year to the second, digit by digit; month, day and hour are looked at as numbers too.
const FIELDS: ByteRanges = [*b"-00-00T00:00:00\0", *b"-19-39T29:59:59\xFF"];

/// The length of a timestamp whose `time-secfrac` has no digit, which RFC 3339 does not allow.
const EMPTY_FRACTION: usize = "0000-00-00T00:00:00.Z".len();

/// The end of a timestamp, `time-secfrac` and `time-offset`, by its length less one: `Z`, after a fraction of up
/// to twelve digits or none. A numeric offset is as long as `Z` after four digits, and has the entry of that.
const ENDINGS: [ByteRanges; 14] = {
    let mut endings = [[[0; WIDTH], [0xFF; WIDTH]]; 14];
    let mut length = 0;
    while length < endings.len() {
        let [low, high] = &mut endings[length];
        let mut at = WIDTH - length;
        while at < WIDTH {
            (low[at - 1], high[at - 1]) = (b'0', b'9');
            at += 1;
        }
        (low[WIDTH - 1], high[WIDTH - 1]) = (b'Z', b'Z');
        if length > 0 {
            (low[WIDTH - 1 - length], high[WIDTH - 1 - length]) = (b'.', b'.');
        }
        length += 1;
    }
    endings[5] = [
        *b"\0\0\0\0\0\0\0\0\0\0+00:00",
        *b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF+19:59",
    ];
    endings
};

fn check(text: &[u8]) -> Option<()> {
    let (fixed, rest) = text.split_first_chunk::<19>()?;
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    if separators.iter().any(|&(at, byte)| fixed[at] != byte) || fixed[10] | 0x20 != b't' {
        return None;
    }
    let number = |at: usize| two_digits(fixed[at], fixed[at + 1]);
    let (year, month, day) = (number(0)? * 100 + number(2)?, number(5)?, number(8)?);
    let (hour, minute, second) = (number(11)?, number(14)?, number(17)?);
    let month_days = days_in_month(year, month)?;
    if day == 0 || day > month_days || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let offset = offset_minutes(after_fraction(rest)?)?;
    if second < 60 {
        return Some(());
    }
    // A leap second is 23:59:60 in UTC on the last day of a month. East of Greenwich that moment
    // is on the first day of the next month.
    let utc_minute = (i32::from(hour) * 60 + i32::from(minute) - offset).rem_euclid(24 * 60);
    let ends_month = day == if offset > 0 { 1 } else { month_days };
    (utc_minute == 24 * 60 - 1 && ends_month).then_some(())
}

#[inline(always)]
fn two_digits(tens: u8, ones: u8) -> Option<u16> {
    let (tens, ones) = (tens.wrapping_sub(b'0'), ones.wrapping_sub(b'0'));
    (tens < 10 && ones < 10).then(|| u16::from(tens) * 10 + u16::from(ones))
}

/// The days that a month has in every year; none where there is no such month.
const MONTH_DAYS: [u8; 32] = [
    0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0,
];

fn days_in_month(year: u16, month: u16) -> Option<u16> {
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = MONTH_DAYS.get(usize::from(month))?;
    Some(u16::from(*days) + u16::from(is_leap && month == 2))
}

fn after_fraction(rest: &[u8]) -> Option<&[u8]> {
    let Some(fraction) = rest.strip_prefix(b".") else {
        return Some(rest);
    };
    // An offset follows, so there is an end.
    let digits = fraction.iter().position(|byte| !byte.is_ascii_digit())?;
    fraction.get(digits..).filter(|_| digits > 0)
}

/// Minutes east of Greenwich.
fn offset_minutes(offset: &[u8]) -> Option<i32> {
    match *offset {
        [b'Z' | b'z'] => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (two_digits(h1, h2)?, two_digits(m1, m2)?);
            let east = i32::from(hours) * 60 + i32::from(minutes);
            (hours < 24 && minutes < 60).then_some(if sign == b'+' { east } else { -east })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_strict_about_form_and_calendar() {
        for (text, expected) in [
            ("2021-12-10T17:31:00Z", true),
            ("2021-12-10t17:31:00z", true),
            ("2021-12-10T18:31:00.123456789+01:00", true),
            ("2021-12-10T17:31:00.1234567890123-00:00", true),
            ("0000-01-01T00:00:00+23:59", true),
            ("2024-02-29T00:00:00Z", true),
            ("2000-02-29T00:00:00Z", true),
            ("2023-02-29T00:00:00Z", false),
            ("1900-02-29T00:00:00Z", false),
            ("2021-04-31T00:00:00Z", false),
            ("2021-00-10T00:00:00Z", false),
            ("2021-13-10T00:00:00Z", false),
            ("2021-12-00T00:00:00Z", false),
            ("2021-12-10T24:00:00Z", false),
            ("2021-12-10T23:60:00Z", false),
            ("2021-12-10T23:59:61Z", false),
            ("2021-12-10 17:31:00Z", false),
            ("2021-12-10T17:31Z", false),
            ("2021-12-10T17:31:00", false),
            ("2021-12-10T17:31:00.Z", false),
            ("2021-12-10T17:31:00,5Z", false),
            ("2021-12-10T17:31:00X", false),
            ("2021-12-10T17:31:00+05", false),
            ("2021-12-10T17:31:00+0500", false),
            ("2021-12-10T17:31:00+24:00", false),
            ("2021-12-10T17:31:00+05:60", false),
            ("2021-12-10T17:31:00Z ", false),
            ("2021-12-1OT17:31:00Z", false),
            ("", false),
        ] {
            assert_eq!(is_timestamp(text), expected, "{text}");
        }
    }

    #[test]
    fn a_leap_second_ends_a_month_in_utc() {
        for (text, expected) in [
            ("2016-12-31T23:59:60Z", true),
            ("2017-01-01T00:59:60+01:00", true),
            ("2016-12-31T15:59:60.5-08:00", true),
            ("2016-12-31T23:58:60Z", false),
            ("2016-12-30T23:59:60Z", false),
            ("2016-12-31T23:59:60+01:00", false),
            ("2017-01-02T00:59:60+01:00", false),
        ] {
            assert_eq!(is_timestamp(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_usual_is_a_timestamp() {
        let fields = [(5, 2), (8, 2), (11, 2), (14, 2), (17, 2), (20, 3), (24, 2)];
        let mut accepted = 0;
        for ending in [
            "Z",
            ".5Z",
            ".123Z",
            ".123456789Z",
            "+01:00",
            "-01:00",
            ".1234Z",
        ] {
            let text = format!("2026-03-10T17:31:08{ending}");
            for (at, width) in fields {
                for number in 0..10_usize.pow(width) {
                    let width = width as usize;
                    let mut changed = text.clone();
                    if at + width <= text.len() {
                        changed.replace_range(at..at + width, &format!("{number:0width$}"));
                    }
                    accepted += usize::from(is_usual(changed.as_bytes()));
                    assert!(!is_usual(changed.as_bytes()) || check(changed.as_bytes()).is_some());
                }
            }
            for at in 0..text.len() {
                for byte in 0..=u8::MAX {
                    let mut changed = text.clone().into_bytes();
                    changed[at] = byte;
                    assert!(
                        !is_usual(&changed) || check(&changed).is_some(),
                        "{changed:?}"
                    );
                }
            }
        }
        assert!(accepted > 1000, "{accepted}");
        assert!(!is_usual(b"2026-03-10T17:31:08.Z") && !is_usual(b"2026-03-10T17:31:08"));
    }
}
