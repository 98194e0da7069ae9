//! RFC 3339 timestamps: checked, never rewritten.

pub(crate) mod fast_path;

/// Whether `text` is a `date-time` of RFC 3339, calendar and leap-second rule included.
#[inline]
pub(crate) fn is_timestamp(text: &str) -> bool {
    fast_path::accepts(text.as_bytes()) || check(text.as_bytes()).is_some()
}

fn check(text: &[u8]) -> Option<()> {
    let (fixed, rest) = text.split_first_chunk::<19>()?;
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    if separators.iter().any(|&(at, byte)| fixed[at] != byte) || fixed[10] | 0x20 != b't' {
        return None;
    }
    let year = two_digits(fixed[0], fixed[1])? * 100 + two_digits(fixed[2], fixed[3])?;
    let month = two_digits(fixed[5], fixed[6])?;
    let day = two_digits(fixed[8], fixed[9])?;
    let hour = two_digits(fixed[11], fixed[12])?;
    let minute = two_digits(fixed[14], fixed[15])?;
    let second = two_digits(fixed[17], fixed[18])?;
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

fn days_in_month(year: u16, month: u16) -> Option<u16> {
    Some(match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap(year) => 29,
        2 => 28,
        _ => return None,
    })
}

const fn is_leap(year: u16) -> bool {
    year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
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
            if hours > 23 || minutes > 59 {
                return None;
            }
            let east = i32::from(hours) * 60 + i32::from(minutes);
            Some(if sign == b'+' { east } else { -east })
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
}
