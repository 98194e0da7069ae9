//! Citizen service numbers (burgerservicenummer): nine digits that pass the eleven-test.
//!
//! The number of an organisation (RSIN) passes the same test, and a counter may, so the word before a
//! number says what it is.

use std::ops::Range;

/// Numbers behind one of these words are not those of people.
const OTHERS: [&str; 4] = [
    "oin",
    "rsin",
    "bronorganisatie",
    "verantwoordelijkeorganisatie",
];

const LENGTH: usize = 9;

/// Of what stands behind `%`.
const LENGTH_OF_CODE: usize = 2;

/// Hexadecimal words from this length on, that of the last part of a UUID, are hashes and identifiers.
const LENGTH_OF_HASH: usize = 12;

/// Where citizen service numbers stand in a text, in bytes. What the text stands in, such as the name
/// of its attribute, comes before its first word.
pub(crate) fn numbers(within: &str, text: &str) -> Vec<Range<usize>> {
    let is_hash = |word: &str| word.len() >= LENGTH_OF_HASH && is_hexadecimal(word);
    let mut found = numbers_and_words(within, text);
    found.retain(|(_, word)| !is_hash(word));
    found.into_iter().map(|(number, _)| number).collect()
}

/// The same with the words they stand in, also in those that are hashes.
fn numbers_and_words<'t>(within: &str, text: &'t str) -> Vec<(Range<usize>, &'t str)> {
    let mut before = within.rsplit(is_separator).next().unwrap_or_default();
    let mut found = Vec::new();
    for (at, word) in words(text) {
        for (start, digits) in runs_of_digits(word) {
            let letters = word.get(..start).unwrap_or_default();
            let context = if start == 0 { before } else { letters };
            let is_context = |other: &&str| context.eq_ignore_ascii_case(other);
            if !OTHERS.iter().any(is_context) && passes(digits.as_bytes()) {
                let start = at + start;
                found.push((start..start + digits.len(), word));
            }
        }
        before = word;
    }
    found
}

fn runs_of_digits(word: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut end = 0;
    let is_other = |character: char| !character.is_ascii_digit();
    let runs = word.split_inclusive(is_other).map(move |run| {
        let start = end;
        end += run.len();
        (start, run.trim_end_matches(is_other))
    });
    runs.filter(|(_, digits)| !digits.is_empty())
}

/// A text with the citizen service numbers in it masked, and rather more than that: in hashes too. It
/// may be the beginning of a longer text, cut by `…`, or a part from its middle: digits at the cut may
/// be part of a number, and are masked too.
pub(crate) fn masked(within: &str, text: &str, is_from_middle: bool) -> String {
    let digit = |byte: &u8| byte.is_ascii_digit();
    // The last of them may be behind those of a percent code.
    let most = |is_coded| LENGTH + if is_coded { LENGTH_OF_CODE } else { 0 };
    let numbers = numbers_and_words(within, text).into_iter();
    let mut numbers: Vec<_> = numbers.map(|(number, _)| number).collect();
    if let Some(kept) = text.strip_suffix('…') {
        let digits = kept.bytes().rev().take_while(digit).count();
        let start = kept.len() - digits;
        let is_coded = kept.get(..start).is_some_and(|text| text.ends_with('%'));
        if digits <= most(is_coded) {
            numbers.push(start..kept.len());
        }
    }
    if is_from_middle {
        let digits = text.bytes().take_while(digit).count();
        if digits <= most(true) {
            numbers.push(0..digits);
        }
    }
    let mut masked = text.to_owned();
    for range in numbers {
        let stars = "*".repeat(range.len());
        masked.replace_range(range, &stars);
    }
    masked
}

fn is_separator(character: char) -> bool {
    !character.is_ascii_alphanumeric()
}

/// Runs of letters and digits, with their offsets. A percent code such as `%3A` separates too, but the
/// first two digits of nine are none.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let (mut end, mut is_coded) = (0, false);
    let pieces = text.split_inclusive(is_separator).map(move |piece| {
        let word = piece.trim_end_matches(is_separator);
        let (start, was_coded) = (end, is_coded);
        end += piece.len();
        is_coded = piece.ends_with('%');
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        match word.split_at_checked(LENGTH_OF_CODE) {
            Some((code, rest)) if was_coded && is_hexadecimal(code) && digits != LENGTH => {
                (start + code.len(), rest)
            }
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
    let weighed = values.zip(WEIGHTS).map(|(value, weight)| value * weight);
    let sum: i32 = weighed.sum();
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
            "999990342x",
            "999990342Z",
            "persoon999990342adres",
            "a999990342",
            "4f999990342",
            "tot%999990342",
            "https://a.nl/?naar=%20999990342",
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
            "8b4c9c3e-2f0f-4f3b-9d53-abc999990342",
            "d41d8cd98f00b204e9800998999990342f",
            "rsin999990342",
            "rsin999990342x",
            "urn:nld:rsin:002564440:systeem:zaken",
            "urn:nld:oin:002564440.zaken",
            "https://a.nl/zaken?bronorganisatie=002564440&x=1",
            "https://a.nl/zaken?verantwoordelijkeOrganisatie%3D002564440",
            "{\"verantwoordelijkeOrganisatie\": \"002564440\"}",
        ] {
            assert_eq!(found("subject", text), [""; 0], "{text}");
        }
        for within in ["RSIN", "ce_rsin", "ce-bronorganisatie", "/data/oin"] {
            assert_eq!(found(within, "002564440"), [""; 0], "{within}");
        }
        assert_eq!(found("sequence", "002564440"), ["002564440"]);
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
            ("sequence", "002564440", "*********"),
            ("id", "persoon999990342adres", "persoon*********adres"),
            // A mask may cover more than a notice tells.
            ("id", "4f3b-abc999990342", "4f3b-abc*********"),
            ("id", "%999990342", "%*********"),
            ("id", "a/%2099999034…", "a/%**********…"),
            ("id", "a/2099999034…", "a/2099999034…"),
        ] {
            assert_eq!(masked(within, text, false), expected);
        }
        assert_eq!(
            masked("body", "9990342\",\"a\":12}", true),
            "*******\",\"a\":12}"
        );
        assert_eq!(masked("body", "0999990342&a=12", true), "**********&a=12");
    }
}
