//! Accepts the timestamps that computers write; has no opinion on others.

use crate::lanes::{ByteRanges, Lanes, WIDTH};

/// Whether `text` is surely a timestamp: no leap second, no leap day, and an
/// offset or a fraction. It has no branches on the text, which would be mispredicted.
#[inline]
pub(crate) fn accepts(text: &[u8]) -> bool {
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
const FIELDS: ByteRanges = ByteRanges::between(b"-00-00T00:00:00\0", b"-19-39T29:59:59\xFF");

/// The length of a timestamp whose `time-secfrac` has no digit, which RFC 3339 does not allow.
const EMPTY_FRACTION: usize = "0000-00-00T00:00:00.Z".len();

/// The end of a timestamp, `time-secfrac` and `time-offset`, by its length less one: `Z`, after a fraction of up
/// to twelve digits or none. A numeric offset is as long as `Z` after four digits, and has the entry of that.
const ENDINGS: [ByteRanges; 14] = {
    let mut endings = [const { ByteRanges::between(&[0; WIDTH], &[0xFF; WIDTH]) }; 14];
    let mut length = 0;
    while length < endings.len() {
        let (mut low, mut high) = ([0; WIDTH], [0xFF; WIDTH]);
        let mut at = WIDTH - length;
        while at < WIDTH {
            (low[at - 1], high[at - 1]) = (b'0', b'9');
            at += 1;
        }
        (low[WIDTH - 1], high[WIDTH - 1]) = (b'Z', b'Z');
        if length > 0 {
            (low[WIDTH - 1 - length], high[WIDTH - 1 - length]) = (b'.', b'.');
        }
        endings[length] = ByteRanges::between(&low, &high);
        length += 1;
    }
    endings[5] = ByteRanges::between(
        b"\0\0\0\0\0\0\0\0\0\0+00:00",
        b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF+19:59",
    );
    endings
};

/// The days that a month has in every year; none where there is no such month.
const MONTH_DAYS: [u8; 32] = {
    let mut days = [0; 32];
    let mut month = 1;
    while month <= 12 {
        days[month] = match month {
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        month += 1;
    }
    days
};

#[cfg(test)]
mod tests {
    use super::super::check;
    use super::*;

    #[test]
    fn the_fast_path_lets_nothing_else_in() {
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
                    accepted += usize::from(accepts(changed.as_bytes()));
                    assert!(!accepts(changed.as_bytes()) || check(changed.as_bytes()).is_some());
                }
            }
            for at in 0..text.len() {
                for byte in 0..=u8::MAX {
                    let mut changed = text.clone().into_bytes();
                    changed[at] = byte;
                    assert!(
                        !accepts(&changed) || check(&changed).is_some(),
                        "{changed:?}"
                    );
                }
            }
        }
        assert!(accepted > 1000, "{accepted}");
        assert!(!accepts(b"2026-03-10T17:31:08.Z") && !accepts(b"2026-03-10T17:31:08"));
    }
}
