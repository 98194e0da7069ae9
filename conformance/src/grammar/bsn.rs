//! Citizen service numbers (burgerservicenummer): nine digits that pass the eleven-test.
//!
//! The number of an organisation (RSIN) passes the same test, and a counter may, so the word before a
//! number says what it is.

use std::ops::Range;

/// Numbers behind one of these words are not those of people.
const OTHERS: [&str; 5] = [
    "oin",
    "rsin",
    "bronorganisatie",
    "verantwoordelijkeorganisatie",
    "sequence",
];

/// Where citizen service numbers stand in a text, in bytes. What the text stands in, such as the name
/// of its attribute, comes before its first word.
pub(crate) fn numbers(within: &str, text: &str) -> Vec<Range<usize>> {
    let mut before = within.rsplit(is_separator).next().unwrap_or_default();
    let mut found = Vec::new();
    for (at, word) in words(text) {
        let letters = word.trim_end_matches(|character: char| character.is_ascii_digit());
        let digits = word.strip_prefix(letters).unwrap_or_default();
        let context = if letters.is_empty() { before } else { letters };
        // Hexadecimal digits before it make it part of a hash, or of another identifier.
        let stands_alone =
            letters.is_empty() || letters.bytes().any(|byte| !byte.is_ascii_hexdigit());
        let is_other = OTHERS
            .iter()
            .any(|other| context.eq_ignore_ascii_case(other));
        if stands_alone && !is_other && passes(digits.as_bytes()) {
            found.push(at + letters.len()..at + word.len());
        }
        before = word;
    }
    found
}

/// A text with the citizen service numbers in it masked. It may be the beginning of a longer text, cut
/// by `…`, or a part from its middle: digits at the cut may be part of a number, and are masked too.
pub(crate) fn masked(within: &str, text: &str, is_from_middle: bool) -> String {
    const LENGTH: usize = 9;
    let digit = |byte: &u8| byte.is_ascii_digit();
    let mut numbers = numbers(within, text);
    if let Some(kept) = text.strip_suffix('…') {
        let digits = kept.bytes().rev().take_while(digit).count();
        numbers.push(kept.len() - digits..kept.len());
    }
    if is_from_middle {
        numbers.push(0..text.bytes().take_while(digit).count());
    }
    let mut masked = text.to_owned();
    for range in numbers.into_iter().filter(|range| range.len() <= LENGTH) {
        let stars = "*".repeat(range.len());
        masked.replace_range(range, &stars);
    }
    masked
}

fn is_separator(character: char) -> bool {
    !character.is_ascii_alphanumeric()
}

/// Runs of letters and digits, with their offsets. A percent code such as `%3A` separates too.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut end, mut is_coded) = (0, false);
    let pieces = text.split_inclusive(is_separator).map(move |piece| {
        let word = piece.trim_end_matches(is_separator);
        let (start, was_coded) = (end, is_coded);
        end += piece.len();
        is_coded = piece.ends_with('%');
        match word.split_at_checked(2) {
            Some((code, rest)) if was_coded && is_hexadecimal(code) => (start + 2, rest),
            _ => (start, word),
        }
    });
    pieces.filter(|(_, word)| !word.is_empty())
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Nine digits whose sum, weighed by 9 to 2 and -1, is a multiple of eleven.
fn passes(digits: &[u8]) -> bool {
    const WEIGHTS: [i32; 9] = [9, 8, 7, 6, 5, 4, 3, 2, -1];
    let values = digits.iter().map(|digit| i32::from(digit - b'0'));
    let sum: i32 = values
        .zip(WEIGHTS)
        .map(|(value, weight)| value * weight)
        .sum();
    digits.len() == WEIGHTS.len() && sum % 11 == 0 && digits.iter().any(|digit| *digit != b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(within: &str, text: &'t str) -> Vec<&'t str> {
        let numbers = numbers(within, text).into_iter();
        numbers.filter_map(|range| text.get(range)).collect()
    }

    #[test]
    fn nine_digits_that_pass_the_test_are_found_wherever_they_stand() {
        for text in [
            "999990342",
            "persoon/999990342",
            "https://gemeente.nl/personen/999990342?a=b",
            "bsn999990342",
            "BSN-999990342",
            "https://a.nl/?naar=%2Fpersoon%2F999990342%2Fadres",
            "urn:nld:oin:00000001823288444000:999990342",
            "urn:oid:2.16.840.1.113883.2.4.6.3.999990342",
            "{\"bsn\":\"999990342\"}",
            "é999990342é",
        ] {
            assert_eq!(found("subject", text), ["999990342"], "{text}");
        }
        assert_eq!(found("", "111222333,010464554"), ["111222333", "010464554"]);
    }

    #[test]
    fn other_numbers_are_not() {
        for text in [
            "",
            "999990343",
            "000000000",
            "99999034",
            "9999903420",
            "0999990342",
            "doc2021033441",
            "00000001823288444000",
            "4f999990342",
            "999990342Z",
            "rsin999990342",
            "urn:nld:rsin:002564440:systeem:zaken",
            "urn:nld:oin:002564440.zaken",
            "https://a.nl/zaken?bronorganisatie=002564440&x=1",
            "https://a.nl/zaken?verantwoordelijkeOrganisatie%3D002564440",
            "{\"verantwoordelijkeOrganisatie\": \"002564440\"}",
        ] {
            assert_eq!(found("subject", text), [""; 0], "{text}");
        }
        for within in [
            "RSIN",
            "ce_rsin",
            "ce-bronorganisatie",
            "/data/oin",
            "sequence",
        ] {
            assert_eq!(found(within, "002564440"), [""; 0], "{within}");
        }
    }

    #[test]
    fn what_is_masked_is_masked_whole() {
        for (within, text, expected) in [
            (
                "subject",
                "a 999990342 b 999990343",
                "a ********* b 999990343",
            ),
            ("/rsin", "002564440", "002564440"),
            ("id", "a/99999…", "a/*****…"),
            ("id", "a/9999903420…", "a/9999903420…"),
            ("id", "é", "é"),
        ] {
            assert_eq!(masked(within, text, false), expected);
        }
        assert_eq!(
            masked("body", "9990342\",\"a\":12}", true),
            "*******\",\"a\":12}"
        );
    }
}
