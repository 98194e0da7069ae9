//! RFC 3339 date-times.

use jiff::SignedDuration;
use jiff::civil::{DateTime, datetime};

const EPOCH: DateTime = datetime(1970, 1, 1, 0, 0, 0, 0);

/// Whether a text is a `date-time`: lower-case `t` and `z` may be, a space for `T` may not, and a
/// second 60 is 23:59:60 UTC at the end of a month.
pub(crate) fn is_timestamp(text: &str) -> bool {
    instant(text).is_some()
}

/// The moment a timestamp names, in seconds since 1970 and the digits of its fraction without zeros at
/// the end, which compare as they stand; `None` when it is no timestamp.
pub(crate) fn instant(text: &str) -> Option<(i64, &str)> {
    let [year, month, day] = numbers(text, "dddd-dd-dd")?;
    let rest = text.get(10..)?.strip_prefix(['T', 't'])?;
    let [hour, minute, second] = numbers(rest, "dd:dd:dd")?;
    let (fraction, zone) = split_fraction(rest.get(8..)?)?;
    let offset = offset_minutes(zone)?;
    let small = |number: i64| i8::try_from(number).ok();
    let (month, day) = (small(month)?, small(day)?);
    let (hour, minute) = (small(hour)?, small(minute)?);
    let local = DateTime::new(i16::try_from(year).ok()?, month, day, hour, minute, 0, 0).ok()?;
    let minutes = local.duration_since(EPOCH).as_mins() - offset;
    let is_second = second < 60 || second == 60 && ends_month(minutes);
    is_second.then(|| (minutes * 60 + second, fraction.trim_end_matches('0')))
}

/// Whether the last minute of a month begins so many minutes after the beginning of 1970.
fn ends_month(minutes: i64) -> bool {
    let moment = EPOCH.checked_add(SignedDuration::from_mins(minutes));
    moment.is_ok_and(|moment| {
        let time = (moment.day(), moment.hour(), moment.minute());
        time == (moment.days_in_month(), 23, 59)
    })
}

/// The numbers of a text that begins with `pattern`, where `d` is a digit.
fn numbers<const N: usize>(text: &str, pattern: &str) -> Option<[i64; N]> {
    let text = text.get(..pattern.len())?;
    let mut numbers = [0; N];
    let mut index = 0;
    for (byte, expected) in text.bytes().zip(pattern.bytes()) {
        if expected == b'd' && byte.is_ascii_digit() {
            numbers[index] = numbers[index] * 10 + i64::from(byte - b'0');
        } else if expected == byte {
            index += 1;
        } else {
            return None;
        }
    }
    Some(numbers)
}

fn split_fraction(rest: &str) -> Option<(&str, &str)> {
    let Some(digits) = rest.strip_prefix('.') else {
        return Some(("", rest));
    };
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    (length > 0).then(|| digits.split_at(length))
}

fn offset_minutes(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = if zone.starts_with('-') { -1 } else { 1 };
    let zone = zone.strip_prefix(['+', '-'])?;
    let [hours, minutes] = numbers(zone, "dd:dd")?;
    (zone.len() == 5 && hours <= 23 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grammar::check;

    #[test]
    fn knows_date_times() {
        let passes = [
            "2021-12-10T17:31:00Z",
            "2021-12-10t17:31:00z",
            "2021-12-10T17:31:00.123456789012Z",
            "2021-12-10T17:31:00+01:00",
            "2021-12-10T17:31:00-00:00",
            "2020-02-29T00:00:00Z",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59Z",
            "2016-12-31T23:59:60Z",
            "2017-01-01T00:59:60+01:00",
            "2016-12-31T15:59:60.5-08:00",
            "2000-02-29T23:59:59+23:59",
            "0000-01-01T00:00:00+23:59",
            "9999-12-31T23:59:59-23:59",
            "0000-01-31T23:59:60Z",
            "9999-12-31T23:59:60Z",
        ];
        let fails = [
            "",
            "2021-12-10",
            "2021-12-10T17:31Z",
            "2021-12-10 17:31:00Z",
            "2021-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z",
            "2021-12-10T24:00:00Z",
            "2021-12-10T17:60:00Z",
            "2021-12-10T17:31:61Z",
            "2016-12-30T23:59:60Z",
            "2016-12-31T23:58:60Z",
            "2016-12-31T23:59:60+01:00",
            "2021-12-10T17:31:00",
            "2021-12-10T17:31:00.Z",
            "2021-12-10T17:31:00+24:00",
            "2021-12-10T17:31:00+01:60",
            "2021-12-10T17:31:00+1:00",
            "2021-12-10T17:31:00+01",
            "2021-12-10T17:31:00X",
            "2021-13-10T17:31:00Z",
            "2021-00-10T17:31:00Z",
            "2021-12-00T17:31:00Z",
            "2021-12-10T17:31:00Zz",
            "é",
            "2021-12-1éT17:31:00Z",
        ];
        check(is_timestamp, &passes, &fails);
    }

    #[test]
    fn counts_from_1970() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-21T16:00:00Z", 1_795_276_800),
            ("1969-12-31T23:00:00-01:00", 0),
            ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("0000-01-01T00:00:00Z", -62_167_219_200),
        ] {
            assert_eq!(
                instant(text).map(|instant| instant.0),
                Some(expected),
                "{text}"
            );
        }
        assert!(instant("2021-12-10T17:31:00.120Z") == instant("2021-12-10T18:31:00.12+01:00"));
    }
}
